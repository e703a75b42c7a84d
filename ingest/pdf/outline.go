package pdf

import "strings"

// headings returns for each page the path of the first bookmark that leads to
// it, else of the last one before (12.3.3).
func (f *file) headings(pages []page) []string {
	number := map[ref]int{}
	for i, p := range pages {
		number[p.ref] = i
	}
	out, last := make([]string, len(pages)), make([]string, len(pages))
	seen := map[ref]bool{}
	var walk func(o object, above string, depth int)
	walk = func(o object, above string, depth int) {
		for o != nil && depth < maxDepth {
			if r, ok := o.(ref); ok {
				if seen[r] {
					return
				}
				seen[r] = true
			}
			item := f.dict(o)
			if item == nil {
				return
			}
			path := above
			if title := strings.Join(strings.Fields(textString(f.resolve(item["Title"]))), " "); title != "" {
				if path != "" {
					path += Separator
				}
				path += title
			}
			if i, ok := number[f.destination(item)]; ok {
				if last[i] = path; out[i] == "" {
					out[i] = path
				}
			}
			walk(item["First"], path, depth+1)
			o = item["Next"]
		}
	}
	root := f.dict(f.trailer["Root"])
	walk(f.dict(root["Outlines"])["First"], "", 0)
	for i := 1; i < len(out); i++ {
		if out[i] == "" {
			out[i], last[i] = last[i-1], last[i-1]
		}
	}
	return out
}

// destination returns the page that a bookmark leads to (12.3.2).
func (f *file) destination(item dict) ref {
	target := f.resolve(item["Dest"])
	if target == nil {
		target = f.resolve(f.dict(item["A"])["D"])
	}
	root := f.dict(f.trailer["Root"])
	switch key := target.(type) {
	case name:
		target = f.resolve(f.dict(root["Dests"])[key])
	case text:
		target = f.named(f.dict(root["Names"])["Dests"], key, 0)
	}
	if d, ok := target.(dict); ok {
		target = f.resolve(d["D"])
	}
	if list, ok := target.(array); ok && len(list) > 0 {
		r, _ := list[0].(ref)
		return r
	}
	return ref{}
}

// named looks a key up in a name tree (7.9.6).
func (f *file) named(tree object, key text, depth int) object {
	node := f.dict(tree)
	if node == nil || depth > maxDepth || f.fuel <= 0 {
		return nil
	}
	if limits := f.list(node["Limits"]); len(limits) == 2 {
		low, _ := f.resolve(limits[0]).(text)
		high, _ := f.resolve(limits[1]).(text)
		if key < low || key > high {
			return nil
		}
	}
	names := f.list(node["Names"])
	for i := 0; i+1 < len(names); i += 2 {
		f.fuel--
		if f.resolve(names[i]) == key {
			return f.resolve(names[i+1])
		}
	}
	for _, kid := range f.list(node["Kids"]) {
		f.fuel-- // kids that are their own parents are many
		if found := f.named(kid, key, depth+1); found != nil {
			return found
		}
	}
	return nil
}
