package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"io"
)

// content unpacks a stream; what comes before damage or the end of the fuel is
// kept (7.4). Images, which only they use, end the other filters.
func (f *file) content(s *stream) []byte {
	filters, parameters := f.list(s.dict["Filter"]), f.list(s.dict["DecodeParms"])
	data := s.raw
	for i, filter := range filters {
		var p dict
		if i < len(parameters) {
			p = f.dict(parameters[i])
		}
		switch f.resolve(filter) {
		case name("FlateDecode"), name("Fl"):
			data = f.predict(f.inflate(data), p)
		case name("LZWDecode"), name("LZW"):
			data = f.predict(f.unLZW(data, f.number(p["EarlyChange"], 1) != 0), p)
		case name("ASCII85Decode"), name("A85"):
			data = f.un85(data)
		case name("ASCIIHexDecode"), name("AHx"):
			data = []byte((&lexer{data: data, fuel: &f.fuel}).hex())
		case name("RunLengthDecode"), name("RL"):
			data = f.unRun(data)
		case name("Crypt"):
		default:
			return nil
		}
	}
	return data
}

// list returns an array, or a single object as an array of one.
func (f *file) list(o object) array {
	switch o := f.resolve(o).(type) {
	case nil:
		return nil
	case array:
		return o
	default:
		return array{o}
	}
}

// maxStream bounds what a single stream unpacks to.
const maxStream = 64 << 20

// room returns how much may still be unpacked.
func (f *file) room() int { return max(0, min(f.fuel, maxStream)) }

func (f *file) inflate(data []byte) []byte {
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	out, _ := io.ReadAll(io.LimitReader(r, int64(f.room()))) // a damaged end is common
	f.fuel -= len(out)
	return out
}

func (f *file) un85(data []byte) []byte {
	data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~"))
	if i := bytes.IndexByte(data, '~'); i >= 0 {
		data = data[:i]
	}
	out := make([]byte, 4*len(data)) // a "z" stands for four bytes
	n, _, _ := ascii85.Decode(out, data, true)
	f.fuel -= n
	return out[:n]
}

func (f *file) unRun(data []byte) []byte {
	var out []byte
	for len(data) > 1 && len(out) < f.room() {
		n := int(data[0])
		switch data = data[1:]; {
		case n < 128:
			n = min(n+1, len(data))
			out = append(out, data[:n]...)
			data = data[n:]
		case n > 128:
			out = append(out, bytes.Repeat(data[:1], 257-n)...)
			data = data[1:]
		default:
			data = nil
		}
	}
	f.fuel -= len(out)
	return out
}

// unLZW unpacks the variable-width codes of PDF, which compress/lzw does not
// read: widths change one code early unless early is false (7.4.4.2).
func (f *file) unLZW(data []byte, early bool) []byte {
	const clearCode, endCode = 256, 257
	type entry struct {
		prefix int
		last   byte
		length int
	}
	var table [4096]entry
	for i := range 256 {
		table[i] = entry{-1, byte(i), 1}
	}
	var out []byte
	next, width, previous := 258, 9, -1
	bits, have := uint32(0), 0
	offset := 0
	if early {
		offset = 1
	}
	for len(out) < f.room() {
		for have < width && len(data) > 0 {
			bits = bits<<8 | uint32(data[0])
			have += 8
			data = data[1:]
		}
		if have < width {
			break
		}
		code := int(bits>>(have-width)) & (1<<width - 1)
		have -= width
		if code == clearCode {
			next, width, previous = 258, 9, -1
			continue
		}
		if code == endCode || code > next || code == next && previous < 0 || previous < 0 && code > 255 {
			break
		}
		if previous >= 0 && next < len(table) {
			head := code
			if code == next {
				head = previous
			}
			for table[head].prefix >= 0 {
				head = table[head].prefix
			}
			table[next] = entry{previous, table[head].last, table[previous].length + 1}
			next++
		}
		if code >= next {
			break
		}
		end := len(out) + table[code].length
		out = append(out, make([]byte, table[code].length)...)
		for c, i := code, end-1; c >= 0; c, i = table[c].prefix, i-1 {
			out[i] = table[c].last
		}
		previous = code
		if next+offset >= 1<<width && width < 12 {
			width++
		}
	}
	f.fuel -= len(out)
	return out
}

// predict undoes the PNG and TIFF predictors (7.4.4.4).
func (f *file) predict(data []byte, p dict) []byte {
	kind := f.int(p["Predictor"])
	if kind < 2 {
		return data
	}
	colors, depth, columns := int(f.number(p["Colors"], 1)), int(f.number(p["BitsPerComponent"], 8)), int(f.number(p["Columns"], 1))
	if colors < 1 || colors > 32 || depth < 1 || depth > 16 || columns < 1 || columns > 1<<20 {
		return nil
	}
	pixel := max(1, colors*depth/8)
	row := (colors*depth*columns + 7) / 8
	if kind == 2 {
		if depth == 8 {
			for start := 0; start+row <= len(data); start += row {
				for i := start + pixel; i < start+row; i++ {
					data[i] += data[i-pixel]
				}
			}
		}
		return data
	}
	var out []byte
	above := make([]byte, row)
	for len(data) > 1 {
		method := data[0]
		line := data[1:min(len(data), 1+row)]
		data = data[1+len(line):]
		for i := range line {
			var left, corner byte
			if i >= pixel {
				left, corner = line[i-pixel], above[i-pixel]
			}
			switch method {
			case 1:
				line[i] += left
			case 2:
				line[i] += above[i]
			case 3:
				line[i] += byte((int(left) + int(above[i])) / 2)
			case 4:
				line[i] += paeth(left, above[i], corner)
			}
		}
		out = append(out, line...)
		copy(above, line)
	}
	return out
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	da, db, dc := abs(p-int(a)), abs(p-int(b)), abs(p-int(c))
	switch {
	case da <= db && da <= dc:
		return a
	case db <= dc:
		return b
	}
	return c
}

func abs(n int) int { return max(n, -n) }
