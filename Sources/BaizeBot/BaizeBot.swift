// BaizeBot: see DESIGN.md, section 2.
