package judge

// Agreement says how far two judges agree on what both have judged.
type Agreement struct {
	// Both counts the documents that both called relevant or not; Unsure those on
	// which one of them did not decide.
	Both   int `json:"both"`
	Unsure int `json:"unsure"`
	// Agreed is the share of Both with the same verdict.
	Agreed float64 `json:"agreed"`
	// Kappa is Cohen's: agreement beyond what chance would give (Cohen 1960). It
	// is nil where it is not defined: nothing in common, or both judges said the
	// same of everything.
	Kappa *float64 `json:"kappa"`
}

// Agree compares two judges.
func (b *Book) Agree(first, second string) Agreement {
	var a Agreement
	same, yes1, yes2 := 0, 0, 0
	for pair, l := range b.by[first] {
		v, ok := b.By(second, pair)
		switch {
		case !ok:
			continue
		case l.Verdict == Unsure || v == Unsure:
			a.Unsure++
			continue
		}
		a.Both++
		if l.Verdict == v {
			same++
		}
		if l.Verdict == Relevant {
			yes1++
		}
		if v == Relevant {
			yes2++
		}
	}
	if a.Both == 0 {
		return a
	}
	n := float64(a.Both)
	a.Agreed = float64(same) / n
	p1, p2 := float64(yes1)/n, float64(yes2)/n
	chance := p1*p2 + (1-p1)*(1-p2)
	if chance < 1 {
		kappa := (a.Agreed - chance) / (1 - chance)
		a.Kappa = &kappa
	}
	return a
}
