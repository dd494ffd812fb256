"""N-gram models: counts, discounts, maximum likelihood and Kneser–Ney."""
