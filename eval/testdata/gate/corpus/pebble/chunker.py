"""Cut a file into pieces at places that depend on its content."""

WINDOW = 48
AVERAGE = 1 << 16

def cut_points(data):
    """Yield the offsets at which a rolling checksum ends in sixteen zero bits."""
    checksum = 0
    for offset, byte in enumerate(data):
        checksum = (checksum * 31 + byte) & 0xFFFFFFFF
        if checksum % AVERAGE == 0:
            yield offset
