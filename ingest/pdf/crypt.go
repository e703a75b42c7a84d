package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"slices"
)

// crypt decrypts files whose user password is empty: they are encrypted only to
// forbid printing or copying, and every reader opens them (7.6; ISO 32000-2 for
// revision 6).
type crypt struct {
	key []byte
	// method is "V2" (RC4), "AESV2", "AESV3" or "Identity".
	method name
}

var passwordPad = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

func newCrypt(f *file, d dict) (*crypt, error) {
	version, revision := f.int(d["V"]), f.int(d["R"])
	if f.resolve(d["Filter"]) != name("Standard") || version < 1 || version > 5 {
		return nil, ErrEncrypted
	}
	c := &crypt{method: "V2"}
	length := f.int(d["Length"])
	if version >= 4 {
		filter, _ := f.resolve(d["StmF"]).(name)
		settings := f.dict(f.dict(d["CF"])[filter])
		c.method, _ = f.resolve(settings["CFM"]).(name)
		length = 128
	}
	if version == 1 || length < 40 || length > 128 || length%8 != 0 {
		length = 40
	}
	owner, _ := f.resolve(d["O"]).(text)
	user, _ := f.resolve(d["U"]).(text)
	if revision >= 5 {
		sealed, _ := f.resolve(d["UE"]).(text)
		return c, c.unseal(revision, []byte(user), []byte(sealed))
	}
	id := text("")
	if ids, ok := f.resolve(f.trailer["ID"]).(array); ok && len(ids) > 0 {
		id, _ = f.resolve(ids[0]).(text)
	}
	h := md5.New() // algorithm 2
	h.Write(passwordPad)
	h.Write([]byte(owner))
	h.Write(binary.LittleEndian.AppendUint32(nil, uint32(f.int(d["P"]))))
	h.Write([]byte(id))
	if revision >= 4 && f.resolve(d["EncryptMetadata"]) == false {
		h.Write([]byte{0xFF, 0xFF, 0xFF, 0xFF})
	}
	key := h.Sum(nil)
	if revision >= 3 {
		for range 50 {
			sum := md5.Sum(key[:length/8])
			key = sum[:]
		}
	}
	c.key = key[:length/8]
	if !c.opens(revision, []byte(id), []byte(user)) {
		return nil, ErrEncrypted
	}
	return c, nil
}

// opens checks the key against the user entry (algorithms 4 and 5).
func (c *crypt) opens(revision int, id, user []byte) bool {
	if revision < 3 {
		return bytes.Equal(c.rc4(c.key, passwordPad), user)
	}
	h := md5.New()
	h.Write(passwordPad)
	h.Write(id)
	sum := h.Sum(nil)
	for i := range 20 {
		key := slices.Clone(c.key)
		for j := range key {
			key[j] ^= byte(i)
		}
		sum = c.rc4(key, sum)
	}
	return len(user) >= 16 && bytes.Equal(sum, user[:16])
}

// unseal finds the key of revisions 5 and 6 (algorithm 2.A).
func (c *crypt) unseal(revision int, user, sealed []byte) error {
	if len(user) < 48 || len(sealed) < 32 {
		return ErrEncrypted
	}
	hash := func(salt []byte) []byte {
		sum := sha256.Sum256(salt)
		if revision == 5 {
			return sum[:]
		}
		return harden(sum[:])
	}
	if !bytes.Equal(hash(user[32:40]), user[:32]) {
		return ErrEncrypted
	}
	block, err := aes.NewCipher(hash(user[40:48]))
	if err != nil {
		return ErrEncrypted
	}
	c.key = make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(c.key, sealed[:32])
	return nil
}

// harden is algorithm 2.B for an empty password.
func harden(k []byte) []byte {
	for rounds := 1; ; rounds++ {
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		e := bytes.Repeat(k, 64)
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(e, e)
		remainder := 0
		for _, b := range e[:16] {
			remainder += int(b)
		}
		switch remainder % 3 {
		case 0:
			sum := sha256.Sum256(e)
			k = sum[:]
		case 1:
			sum := sha512.Sum384(e)
			k = sum[:]
		case 2:
			sum := sha512.Sum512(e)
			k = sum[:]
		}
		if rounds >= 64 && int(e[len(e)-1]) <= rounds-32 {
			return k[:32]
		}
	}
}

func (c *crypt) rc4(key, data []byte) []byte {
	stream, err := rc4.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, len(data))
	stream.XORKeyStream(out, data)
	return out
}

// stream decrypts the raw data of a stream.
func (c *crypt) stream(f *file, s *stream, number, generation int) []byte {
	if c.method == "Identity" || s.dict["Type"] == name("Metadata") {
		return s.raw
	}
	f.fuel -= len(s.raw)
	return c.decrypt(s.raw, number, generation)
}

// strings decrypts the strings in an object.
func (c *crypt) strings(o object, number, generation int) object {
	switch o := o.(type) {
	case text:
		return text(c.decrypt([]byte(o), number, generation))
	case array:
		for i := range o {
			o[i] = c.strings(o[i], number, generation)
		}
	case dict:
		for key := range o {
			o[key] = c.strings(o[key], number, generation)
		}
	case *stream:
		c.strings(o.dict, number, generation)
	}
	return o
}

// decrypt is algorithm 1, and 1.A for AESV3.
func (c *crypt) decrypt(data []byte, number, generation int) []byte {
	key := c.key
	if c.method != "AESV3" {
		h := md5.New()
		h.Write(c.key)
		h.Write([]byte{byte(number), byte(number >> 8), byte(number >> 16), byte(generation), byte(generation >> 8)})
		if c.method == "AESV2" {
			h.Write([]byte("sAlT"))
		}
		key = h.Sum(nil)[:min(16, len(c.key)+5)]
	}
	switch c.method {
	case "V2":
		return c.rc4(key, data)
	case "AESV2", "AESV3":
		data = data[:len(data)-len(data)%aes.BlockSize]
		if len(data) < 2*aes.BlockSize {
			return nil
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil
		}
		out := make([]byte, len(data)-aes.BlockSize)
		cipher.NewCBCDecrypter(block, data[:aes.BlockSize]).CryptBlocks(out, data[aes.BlockSize:])
		if padding := int(out[len(out)-1]); padding <= aes.BlockSize && padding <= len(out) {
			out = out[:len(out)-padding]
		}
		return out
	}
	return data
}
