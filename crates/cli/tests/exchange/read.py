"""Reads exported files with their target packages and compares them with their sources.

python3 read.py tables KIND LINES CSV PARQUET       compare tables with the JSON Lines of the same records
python3 read.py tensors MODEL SAFETENSORS           compare tensors with the file of the network
python3 read.py scalars METRICS FOLDER              compare the event files of a run with its metrics.jsonl
"""

import csv
import json
import math
import struct
import sys
import zlib

COUNT, INTEGER, REAL, FLAG, TEXT = "uint64", "int64", "double", "bool", "string"


class Json:
    """A JSON value; its text is not unique."""

    def __init__(self, value):
        self.value = value


def json_text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def game_row(game):
    first, second = game["players"]
    outcome = game["outcome"]
    thoughts = game.get("thoughts", [])
    return {
        "key": (TEXT, game["key"]),
        "event": (TEXT, game.get("event", "")),
        "game": (TEXT, game["game"]),
        "first_player": (TEXT, first["name"]),
        "first_spec": (TEXT, first["spec"]),
        "second_player": (TEXT, second["name"]),
        "second_spec": (TEXT, second["spec"]),
        "pair": (COUNT, game.get("pair")),
        "seed": (COUNT, game["seed"]),
        "start": (TEXT, game.get("start")),
        "moves": (TEXT, game["moves"]),
        "opening_plies": (COUNT, game["opening_plies"]),
        "result": (TEXT, "draw" if outcome == "draw" else outcome["win"]),
        "ending": (TEXT, game["ending"]["kind"]),
        "ending_detail": (TEXT, game["ending"].get("detail", "")),
        "thoughts": (TEXT, json_text(thoughts) if thoughts else None),
        "played_at": (COUNT, game["played_at"]),
    }


def sample_row(sample):
    detail = sample.get("detail")
    texts = {name: (TEXT, sample.get(name, "")) for name in ("key", "run", "game", "position")}
    numbers = {name: (REAL, sample[name]) for name in ("value", "weight")}
    return texts | numbers | {"detail": (TEXT, None if detail is None else Json(detail))}


def run_row(run):
    texts = {name: (TEXT, run[name]) for name in ("kind", "name", "config", "state")}
    times = {name: (COUNT, run[name]) for name in ("started_at", "updated_at")}
    return {"run": (TEXT, run["id"])} | texts | times


def job_row(job):
    row = {name: (TEXT, job.get(name, "")) for name in ("key", "run", "stage", "task", "brief")}
    row |= {name: (COUNT, job[name]) for name in ("first", "units")}
    row |= {"done": (FLAG, job["done"])}
    row |= {name: (COUNT, job.get(name, 0)) for name in ("round", "attempts", "losses")}
    row |= {name: (TEXT, job.get(name, "")) for name in ("error", "worker")}
    row |= {name: (COUNT, job.get(name, 0)) for name in ("micros", "at")}
    return row | {"output": (TEXT, job.get("output", ""))}


def metric_row(metric):
    return {
        "run": (TEXT, metric["run"]),
        "name": (TEXT, metric["name"]),
        "step": (COUNT, metric["step"]),
        "value": (REAL, metric["value"]),
        "at": (COUNT, metric["at"]),
    }


def rating_row(rating):
    return {
        "pool": (TEXT, rating["pool"]),
        "player": (TEXT, rating["player"]["name"]),
        "spec": (TEXT, rating["player"]["spec"]),
        "elo": (REAL, rating["elo"]),
        "low": (REAL, rating["low"]),
        "high": (REAL, rating["high"]),
        "games": (COUNT, rating["games"]),
        "points": (REAL, rating["points"]),
        "at": (COUNT, rating["at"]),
    }


def human_row(human):
    return {
        "key": (TEXT, human["key"]),
        "board": (TEXT, human["board"]),
        "name": (TEXT, human["name"]),
        "score": (INTEGER, human["score"]),
        "moves": (COUNT, human["moves"]),
        "won": (FLAG, human["won"]),
        "at": (COUNT, human["at"]),
    }


ROWS = {
    "games": ("game", game_row),
    "samples": ("sample", sample_row),
    "runs": ("run", run_row),
    "jobs": ("job", job_row),
    "metrics": ("metric", metric_row),
    "ratings": ("rating", rating_row),
    "humans": ("human", human_row),
}


def same(found, expected):
    """Compares floats bit by bit, JSON texts by value, and other values by type and value."""
    if isinstance(expected, float):
        return struct.pack("<d", found) == struct.pack("<d", expected)
    if isinstance(expected, Json):
        return json.loads(found) == expected.value
    return type(found) is type(expected) and found == expected


def from_csv(field, quoted_empty, kind):
    """The value of a CSV field; an empty field is missing unless it was quoted."""
    if field == "" and not quoted_empty:
        return None
    readers = {COUNT: int, INTEGER: int, REAL: float, FLAG: {"true": True, "false": False}.get}
    return readers.get(kind, str)(field)


def tables(kind, lines, csv_file, parquet_file):
    import pandas
    import pyarrow.csv
    import pyarrow.parquet

    word, row_of = ROWS[kind]
    with open(lines, encoding="utf-8", newline="\n") as file:
        records = [json.loads(line) for line in file.read().split("\n")[1:-2]]
    rows = [row_of(record[word]) for record in records]
    assert len(rows) > 100, len(rows)

    table = pyarrow.parquet.read_table(parquet_file)
    table.validate(full=True)
    assert table.column_names == list(rows[0]), table.column_names
    for field in table.schema:
        kind_of_column, _ = rows[0][field.name]
        assert str(field.type) == kind_of_column, field
    for found, row in zip(table.to_pylist(), rows, strict=True):
        for name, (_, value) in row.items():
            assert same(found[name], value), (name, found[name], value)
    assert len(pandas.read_parquet(parquet_file)) == len(rows)

    # The reader of Python does not distinguish an empty text from a missing one.
    with open(csv_file, encoding="utf-8", newline="") as file:
        names, *fields = list(csv.reader(file, strict=True))
    assert names == list(rows[0])
    for line, row in zip(fields, rows, strict=True):
        for field, (kind_of_column, value) in zip(line, row.values(), strict=True):
            found = from_csv(field, value == "", kind_of_column)
            assert same(found, value), (field, value)

    # The reader of Arrow does.
    types = {name: kind_of_column for name, (kind_of_column, _) in rows[0].items()}
    types = {name: table.schema.field(name).type for name in types}
    again = pyarrow.csv.read_csv(
        csv_file,
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=types, strings_can_be_null=True, null_values=[""],
            quoted_strings_can_be_null=False,
        ),
    )
    assert again.to_pylist() == table.to_pylist()
    assert len(pandas.read_csv(csv_file)) == len(rows)
    print(kind, len(rows), "rows")


def read_model(path):
    """The header and the body of a model file."""
    with open(path, "rb") as file:
        data = file.read()
    mark, version, length = struct.unpack("<8sBI", data[:13])
    assert version == 1
    return mark, json.loads(data[13 : 13 + length]), data[13 + length : -8]


def tensors(model, exported):
    import numpy
    from safetensors import safe_open
    from safetensors.numpy import load_file

    mark, header, body = read_model(model)
    found = load_file(exported)
    with safe_open(exported, framework="numpy") as file:
        metadata = file.metadata()
        assert set(file.keys()) == set(found)
    assert metadata["format"] == "tesuji" and metadata["made"] == header["made"]
    expected = {}
    if mark == b"tesuji-w":
        assert json.loads(metadata["scale"]) == header["scale"]
        weights = numpy.frombuffer(zlib.decompress(body), "<i2")
        for n, cells in enumerate(header["patterns"]):
            expected[f"patterns.{n}.cells"] = numpy.array(cells, "i2")
            expected[f"patterns.{n}.weights"], weights = numpy.split(weights, [3 ** len(cells)])
    else:
        numbers = numpy.frombuffer(body, "<f4")
        for name, array in (lines if mark == b"tesuji-l" else layers)(header, numbers):
            expected[name] = array
    assert set(found) == set(expected), set(found) ^ set(expected)
    for name, array in expected.items():
        assert found[name].dtype == array.dtype, name
        assert numpy.array_equal(found[name], array), name
    print(metadata["kind"], len(found), "tensors")


def split_arrays(numbers, shapes):
    for name, shape in shapes:
        size = math.prod(shape)
        yield name, numbers[:size].reshape(shape)
        numbers = numbers[size:]
    assert len(numbers) == 0


def layers(header, numbers):
    """The tensors of a layered network. In the file, weights of dense layers are ordered by input,
    those of convolutions by channel, row, mirrored column and filter."""
    shape, shapes = list(header["input"].values()), []
    for n, layer in enumerate(header["layers"]):
        [(kind, layer)] = layer.items()
        if kind == "dense":
            shapes.append((f"layers.{n}.weight", (math.prod(shape), layer["outputs"])))
            shape = [1, 1, layer["outputs"]]
            if layer.get("biases", True):
                shapes.append((f"layers.{n}.bias", (layer["outputs"],)))
        elif kind == "convolution":
            window, filters = layer["window"], layer["filters"]
            shapes.append((f"layers.{n}.weight", (shape[2], *window, filters)))
            shapes.append((f"layers.{n}.bias", (filters,)))
            if layer["padding"] == "valid":
                shape[:2] = [side - length + 1 for side, length in zip(shape, window)]
            shape[2] = filters
    for name, array in split_arrays(numbers, shapes):
        if array.ndim == 4:
            array = array[:, :, ::-1, :].transpose(3, 0, 1, 2)
        yield name, array.T if array.ndim == 2 else array


def lines(header, numbers):
    hidden, width, units = header["hidden"], header["width"], header["units"]
    shapes = [
        ("halves", (3, 364, hidden)),
        ("mix.weight", (hidden, width)),
        ("mix.bias", (width,)),
        ("neighbors.weight", (3, width)),
        ("neighbors.bias", (width,)),
        ("value.0.weight", (2 * width, units)),
        ("value.0.bias", (units,)),
        ("value.1.weight", (units, units)),
        ("value.1.bias", (units,)),
        ("value.2.weight", (units, 1)),
        ("value.2.bias", (1,)),
        ("policy.bias", (width,)),
        ("policy.weight", (units, width)),
    ]
    for name, array in split_arrays(numbers, shapes):
        is_matrix = array.ndim == 2 and name != "neighbors.weight"
        yield name, array.T if is_matrix else array


def scalars(metrics, folder):
    import numpy
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(folder, size_guidance={"scalars": 0}).Reload()
    found = {
        tag: {event.step: event.value for event in events.Scalars(tag)}
        for tag in events.Tags()["scalars"]
    }
    expected = {}
    with open(metrics, encoding="utf-8") as file:
        for row in map(json.loads, file):
            step, strength = row.pop("step"), row.pop("strength", {})
            numbers = {name: value for name, value in row.items() if isinstance(value, (int, float))}
            for opponent, score in strength.items():
                for part in ("score", "error", "elo", "elo_error", "games"):
                    if score.get(part) is not None:
                        numbers[f"strength/{opponent}.{part}"] = score[part]
            for name, value in numbers.items():
                expected.setdefault(name, {})[step] = numpy.float32(value)
    assert expected and found == expected, (found, expected)
    print(sum(map(len, found.values())), "scalars of", len(found), "tags")


if __name__ == "__main__":
    {"tables": tables, "tensors": tensors, "scalars": scalars}[sys.argv[1]](*sys.argv[2:])
