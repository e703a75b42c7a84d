"""Tide times at Tessel Mouth, for planning the marsh walks."""

LAG_MINUTES = 35

def at_tessel_mouth(port_ellory_minutes):
    """High water comes thirty-five minutes later than at Port Ellory."""
    return port_ellory_minutes + LAG_MINUTES
