package pdf

// matrix is an affine transformation [a b c d e f] (8.3.3).
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times returns the transformation that applies m first and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// state is the graphics state, as far as text depends on it (9.3).
type state struct {
	ctm       matrix
	font      *font
	size      float64
	charSpace float64
	wordSpace float64
	scale     float64
	leading   float64
	rise      float64
}

// interpreter runs the content of a page and lets a layout collect what it
// shows.
type interpreter struct {
	*file
	state
	saved      []state
	text, line matrix // the text and text line matrices
	out        layout
}

// pageText returns the text of a page.
func (f *file) pageText(p page) string {
	in := &interpreter{file: f, state: state{ctm: identity, scale: 1}, text: identity, line: identity}
	var content []byte
	for _, part := range f.list(p.dict["Contents"]) {
		if s, ok := f.resolve(part).(*stream); ok {
			content = append(append(content, f.content(s)...), '\n')
		}
	}
	in.run(content, p.resources, 0)
	return in.out.String()
}

// run interprets content; depth counts the forms around it.
func (in *interpreter) run(content []byte, resources dict, depth int) {
	l := &lexer{data: content, fuel: &in.fuel}
	saved := len(in.saved)
	var operands []object
	for {
		o := l.object(false)
		op, ok := o.(operator)
		if !ok {
			if len(operands) < 64 {
				operands = append(operands, o)
			}
			continue
		}
		switch op {
		case end:
			in.saved = in.saved[:min(saved, len(in.saved))]
			return
		case "BI":
			l.skipImage()
		case "Do":
			in.do(operands, resources, depth)
		case "Tf":
			if len(operands) == 2 {
				resource, _ := operands[0].(name)
				in.state.font = in.file.font(in.dict(resources["Font"])[resource])
				in.size = in.number(operands[1], 0)
			}
		default:
			in.operate(op, operands)
		}
		operands = operands[:0]
	}
}

// operate runs an operator that needs nothing but its operands.
func (in *interpreter) operate(op operator, operands []object) {
	arg := func(i int) float64 {
		if i < len(operands) {
			return in.number(operands[i], 0)
		}
		return 0
	}
	switch op {
	case "q":
		if len(in.saved) < 1000 {
			in.saved = append(in.saved, in.state)
		}
	case "Q":
		if n := len(in.saved); n > 0 {
			in.state, in.saved = in.saved[n-1], in.saved[:n-1]
		}
	case "cm":
		in.ctm = matrix{arg(0), arg(1), arg(2), arg(3), arg(4), arg(5)}.times(in.ctm)
	case "BT":
		in.text, in.line = identity, identity
	case "Tc":
		in.charSpace = arg(0)
	case "Tw":
		in.wordSpace = arg(0)
	case "Tz":
		in.scale = arg(0) / 100
	case "TL":
		in.leading = arg(0)
	case "Ts":
		in.rise = arg(0)
	case "Td":
		in.move(arg(0), arg(1))
	case "TD":
		in.leading = -arg(1)
		in.move(arg(0), arg(1))
	case "Tm":
		in.line = matrix{arg(0), arg(1), arg(2), arg(3), arg(4), arg(5)}
		in.text = in.line
	case "T*":
		in.move(0, -in.leading)
	case "Tj", "'", "\"":
		if op != "Tj" {
			in.move(0, -in.leading)
		}
		if op == "\"" {
			in.wordSpace, in.charSpace = arg(0), arg(1)
		}
		if n := len(operands); n > 0 {
			in.show(operands[n-1])
		}
	case "TJ":
		if len(operands) == 0 {
			return
		}
		list, _ := operands[0].(array)
		for _, o := range list {
			if _, isText := o.(text); isText {
				in.show(o)
			} else {
				in.advance(-in.number(o, 0) / 1000 * in.size)
			}
		}
	}
}

// move starts a line at an offset from the start of the current one.
func (in *interpreter) move(x, y float64) {
	in.line = matrix{1, 0, 0, 1, x, y}.times(in.line)
	in.text = in.line
}

// advance moves the pen along the line, in unscaled text space.
func (in *interpreter) advance(x float64) {
	in.text = matrix{1, 0, 0, 1, x * in.scale, 0}.times(in.text)
}

// show puts the glyphs of a string where the pen is.
func (in *interpreter) show(o object) {
	s, ok := o.(text)
	if !ok || in.state.font == nil {
		return
	}
	for _, g := range in.state.font.glyphs(s) {
		m := matrix{in.size * in.scale, 0, 0, in.size, 0, in.rise}.times(in.text).times(in.ctm)
		width := g.width / 1000 * in.size
		in.out.add(g.text, m, g.width/1000)
		if width += in.charSpace; g.space {
			width += in.wordSpace
		}
		in.advance(width)
		in.fuel--
	}
}

// do runs a form (8.10). Images have no text.
func (in *interpreter) do(operands []object, resources dict, depth int) {
	if len(operands) == 0 || depth > 8 {
		return
	}
	key, _ := operands[0].(name)
	form, ok := in.resolve(in.dict(resources["XObject"])[key]).(*stream)
	if !ok || in.resolve(form.dict["Subtype"]) != name("Form") {
		return
	}
	outer, text, line := in.state, in.text, in.line
	if m, ok := in.resolve(form.dict["Matrix"]).(array); ok && len(m) == 6 {
		var form matrix
		for i := range form {
			form[i] = in.number(m[i], 0)
		}
		in.ctm = form.times(in.ctm)
	}
	if own := in.dict(form.dict["Resources"]); own != nil {
		resources = own
	}
	in.run(in.content(form), resources, depth+1)
	in.state, in.text, in.line = outer, text, line
}

// skipImage passes over an inline image, whose data ends with "EI" as a word
// (8.9.7).
func (l *lexer) skipImage() {
	for {
		op, ok := l.object(false).(operator)
		if ok && (op == "ID" || op == end) {
			break
		}
	}
	for i := l.at; i+2 < len(l.data); i++ {
		if l.data[i+1] == 'E' && l.data[i+2] == 'I' && isSpace(l.data[i]) && (i+3 == len(l.data) || isSpace(l.data[i+3])) {
			l.at = i + 3
			return
		}
	}
	l.at = len(l.data)
}
