package ingest

import (
	"bytes"
)

// mboxFormat reads a mailbox: mails one after the other, each after a line
// "From sender date".
var mboxFormat = format{kind: "mail", records: readMboxBlock, boundary: lastMail}

func isMbox(data []byte) bool { return isFromLine(data) }

// isFromLine reports whether data begins with the line that separates mails.
// Text may begin a line with "From " too; the time of day tells them apart.
func isFromLine(data []byte) bool {
	if !bytes.HasPrefix(data, []byte("From ")) {
		return false
	}
	line, _, _ := bytes.Cut(data[:min(len(data), 256)], []byte("\n"))
	for i := 2; i+2 < len(line); i++ {
		if line[i] == ':' && digit(line[i-1]) && digit(line[i-2]) && digit(line[i+1]) && digit(line[i+2]) {
			return true
		}
	}
	return false
}

func digit(b byte) bool { return b >= '0' && b <= '9' }

// lastMail returns the start of the last mail of a block, which may go on.
func lastMail(block []byte) int {
	for end := len(block); ; {
		i := bytes.LastIndex(block[:end], []byte("\nFrom "))
		if i < 0 {
			return 0
		}
		if isFromLine(block[i+1:]) {
			return i + 1
		}
		end = i + 1
	}
}

// readMboxBlock reads the mails of a block.
func readMboxBlock(src *source, block []byte, line int) []*draft {
	var drafts []*draft
	for len(block) > 0 {
		end := nextMail(block)
		if raw := block[:end]; len(bytes.TrimSpace(raw)) > 0 {
			_, raw, _ = bytes.Cut(raw, []byte("\n"))
			drafts = append(drafts, parseMail(src, bytes.ReplaceAll(raw, []byte("\n>From "), []byte("\nFrom "))))
		}
		block = block[end:]
	}
	return drafts
}

// nextMail returns the offset of the second mail in a block.
func nextMail(block []byte) int {
	for at := 1; ; {
		i := bytes.Index(block[at:], []byte("\nFrom "))
		if i < 0 {
			return len(block)
		}
		if at += i + 1; isFromLine(block[at:]) {
			return at
		}
	}
}
