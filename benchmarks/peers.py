"""Other programs that do a part of the work, as far as they are installed."""

import importlib.util
import sys
import time
from pathlib import Path

from measuring import Cost, cost

POLARS = """
import sys
import polars as pl
order = int(sys.argv[2])
lines = pl.scan_csv(sys.argv[1], separator="\\n", has_header=False, quote_char=None)
words = lines.select(
    (pl.lit("<s> ") + pl.col("column_1") + pl.lit(" </s>")).str.split(" ").alias("word")
).with_row_index("line").explode("word")
for n in range(1, order + 1):
    ngram = [pl.col("word").shift(-k).over("line").alias(f"w{k}") for k in range(n)]
    counted = words.select(ngram).drop_nulls().group_by(pl.all()).len()
    print(n, counted.select(pl.len()).collect(engine="streaming").item())
"""
DUCKDB = """
import sys
import duckdb
order = int(sys.argv[2])
con = duckdb.connect()
con.execute(f'''create table words as select line, word from (
    select row_number() over () as line, unnest(string_split(concat('<s> ', column0, ' </s>'), ' '))
    as word from read_csv('{sys.argv[1]}', columns={{'column0': 'varchar'}}, delim='\\n',
    quote='', header=false))''')
for n in range(1, order + 1):
    leads = ', '.join(f'lead(word, {k}) over (partition by line) as w{k}' for k in range(n))
    names = ', '.join(f'w{k}' for k in range(n))
    print(n, con.execute(f'''select count(*) from (select {names}, count(*) from
        (select {leads} from words) where w{n - 1} is not null group by {names})''').fetchone())
"""


def counting_peers(text: Path, order: int, runs: int) -> dict[str, list[Cost]]:
    """What counting n-grams takes with two table libraries."""
    scripts = {"polars": POLARS, "duckdb": DUCKDB}
    return {
        name: [cost([sys.executable, "-c", script, str(text), str(order)]) for _ in range(runs)]
        for name, script in scripts.items()
        if importlib.util.find_spec(name)
    }


def kenlm_module_speed(arpa: Path, test: Path) -> float | None:
    """Tokens per CPU second of ``kenlm.Model.score``, if the module is installed."""
    if not importlib.util.find_spec("kenlm"):
        return None
    import kenlm

    model = kenlm.Model(str(arpa))
    lines = test.read_text(encoding="utf-8").splitlines()
    begin = time.process_time()
    for line in lines:
        model.score(line)
    seconds = time.process_time() - begin
    return float((sum(map(len, map(str.split, lines))) + len(lines)) / seconds)
