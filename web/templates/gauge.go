package templates

import "strconv"

// gaugeWidth is the drawing's width in its own units; CSS stretches it.
const gaugeWidth = 1440

// at places a moment on the drawing.
func (g Gauge) at(moment int64) int64 {
	whole := g.End - g.First
	if whole <= 0 {
		return 0
	}
	return min(max((moment-g.First)*gaugeWidth/whole, 0), gaugeWidth)
}

func (g Gauge) safe() string   { return units(g.at(g.Safe)) }
func (g Gauge) now() string    { return units(g.at(g.Now)) }
func (g Gauge) needle() string { return units(min(max(g.at(g.Now)-2, 0), gaugeWidth-4)) }

// margin begins a little after the safe part, so that the two read as two.
func (g Gauge) margin() string      { return units(min(g.at(g.Safe)+4, gaugeWidth)) }
func (g Gauge) marginWidth() string { return units(max(gaugeWidth-g.at(g.Safe)-4, 0)) }

func units(n int64) string { return strconv.FormatInt(n, 10) }
