package main

import (
	"math"
	"slices"
)

// principal returns the dim directions along which the targets vary most: the
// leading eigenvectors of their second moment, found by Jacobi's rotations,
// which are slow and can't go wrong.
func principal(lessons []lesson) [][]float64 {
	n := 0
	var moment, vectors [][]float64
	for _, l := range lessons {
		if l.target == nil {
			continue
		}
		if moment == nil {
			n = len(l.target)
			moment, vectors = square(n), square(n)
			for i := range vectors {
				vectors[i][i] = 1
			}
		}
		for i, v := range l.target {
			for j, w := range l.target[:i+1] {
				moment[i][j] += float64(v) * float64(w)
			}
		}
	}
	for i := range moment {
		for j := range i {
			moment[j][i] = moment[i][j]
		}
	}
	for range 12 {
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotate(moment, vectors, p, q)
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if moment[i][i] > moment[j][j] {
			return -1
		}
		return 1
	})
	basis := make([][]float64, dim)
	for i := range basis {
		basis[i] = vectors[order[i]]
	}
	return basis
}

// rotate makes a[p][q] zero; rows of v are the eigenvectors so far. Some of the
// model's dimensions are always zero, and so is what they have in common.
func rotate(a, v [][]float64, p, q int) {
	if math.Abs(a[p][q]) <= 1e-12*math.Sqrt(math.Abs(a[p][p]*a[q][q])) {
		return
	}
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := math.Copysign(1/(math.Abs(theta)+math.Sqrt(theta*theta+1)), theta)
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	for k := range a {
		a[k][p], a[k][q] = c*a[k][p]-s*a[k][q], s*a[k][p]+c*a[k][q]
	}
	for k := range a {
		a[p][k], a[q][k] = c*a[p][k]-s*a[q][k], s*a[p][k]+c*a[q][k]
		v[p][k], v[q][k] = c*v[p][k]-s*v[q][k], s*v[p][k]+c*v[q][k]
	}
}

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// project returns the target in the basis, at unit length.
func project(target []float32, basis [][]float64) []float32 {
	if target == nil {
		return nil
	}
	p := make([]float32, len(basis))
	for i, b := range basis {
		var s float64
		for c, v := range target {
			s += float64(v) * b[c]
		}
		p[i] = float32(s)
	}
	length := float32(norm(p))
	for i := range p {
		p[i] /= length
	}
	return p
}
