// BaizeWire: see DESIGN.md, section 2.
