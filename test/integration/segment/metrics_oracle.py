"""
Random Parquet files, what PyIceberg makes of their footers, and whether PyIceberg prunes rightly by given metrics.
In: {"make": {"folder", "seed", "count"}} or {"prune": {"seed", "files": [{"path", "schema", "metrics"}]}}, as JSON. Out: JSON.
"""
import datetime, decimal, json, math, random, sys
import pyarrow as pa, pyarrow.parquet as pq
from pyiceberg.expressions import EqualTo, GreaterThan, GreaterThanOrEqual, IsNull, LessThan, LessThanOrEqual, NotEqualTo, NotNull, StartsWith
from pyiceberg.expressions.visitors import _InclusiveMetricsEvaluator, _StrictMetricsEvaluator
from pyiceberg.io.pyarrow import compute_statistics_plan, data_file_statistics_from_parquet_metadata, parquet_path_to_id_mapping, pyarrow_to_schema
from pyiceberg.manifest import DataFile, FileFormat
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record

ALPHABET = ['a', 'b', 'z', 'é', 'ÿ', '\u07ff', '\ud7ff', '\ue000', '\ufffd', '\U0001f600', '\U0010ffff', ' ', '.', '0']


def text(dice):
    return ''.join(dice.choice(ALPHABET) for _ in range(dice.choice([0, 1, 2, 5, 15, 16, 17, 30])))


def octets(dice, length=None):
    length = dice.choice([0, 1, 15, 16, 17, 40]) if length is None else length
    return bytes(dice.choice([0, 1, 0x7f, 0x80, 0xff]) for _ in range(length))


def integer(bits, signed=True):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2 ** bits - 1)
    return lambda dice: dice.choice([low, high, 0, 1, dice.randint(low, high), min(high, max(low, dice.randint(-50, 50)))])


def number(single):
    def draw(dice):
        value = dice.choice([0.0, -0.0, 1.5, -1.5, math.inf, -math.inf, math.nan, dice.uniform(-1e6, 1e6)])
        return pa.scalar(value, pa.float32()).as_py() if single else value
    return draw


def number_of_digits(precision, scale):
    return lambda dice: decimal.Decimal(dice.choice([0, 1, -1, 127, 128, -128, -129, dice.randint(1 - 10 ** precision, 10 ** precision - 1)])
                                        if precision > 3 else dice.randint(-9, 9)).scaleb(-scale, decimal.Context(prec=50))


def moment(dice):
    return datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=dice.choice([-1, 0, 1, dice.randint(-10 ** 16, 10 ** 16)]))


def primitive(dice):
    precision = dice.choice([1, 9, 10, 18, 19, 38])
    scale = dice.randint(0, precision)
    return dice.choice([
        (pa.bool_(), lambda dice: dice.random() < 0.5),
        (pa.int8(), integer(8)), (pa.int16(), integer(16)), (pa.int32(), integer(32)), (pa.int64(), integer(64)),
        (pa.uint8(), integer(8, False)), (pa.uint16(), integer(16, False)),
        (pa.float32(), number(True)), (pa.float64(), number(False)),
        (pa.string(), text), (pa.string(), text), (pa.binary(), octets), (pa.binary(3), lambda dice: octets(dice, 3)),
        (pa.decimal128(precision, scale), number_of_digits(precision, scale)),
        (pa.date32(), lambda dice: moment(dice).date()),
        (pa.time64('us'), lambda dice: moment(dice).time()),
        (pa.timestamp('us'), moment), (pa.timestamp('us', 'UTC'), lambda dice: moment(dice).replace(tzinfo=datetime.UTC)),
    ])


class Columns:
    """Random columns: a type and a draw of values, field IDs in the order they are made."""

    def __init__(self, dice):
        self.dice, self.last_id = dice, 0

    def column(self, name, depth=0):
        self.last_id += 1
        metadata = {'PARQUET:field_id': str(self.last_id)}
        kind = self.dice.random() if depth < 2 else 1
        nulls = self.dice.choice([0, 0.3, 1])
        if kind < 0.15:
            children = [self.column(f'{name}{i}', depth + 1) for i in range(self.dice.randint(1, 3))]
            type, draw = pa.struct([field for field, _ in children]), lambda dice: {field.name: draw(dice) for field, draw in children}
        elif kind < 0.2:
            element, inner = self.column('element', depth + 1)
            type, draw = pa.list_(element), lambda dice: [inner(dice) for _ in range(dice.randint(0, 3))]
        else:
            type, draw = primitive(self.dice)
        required = nulls == 0 and self.dice.random() < 0.5
        return (pa.field(name, type, nullable=not required, metadata=metadata),
                lambda dice: None if dice.random() < nulls else draw(dice))


def make(folder, seed, count):
    answers = []
    for index in range(count):
        dice = random.Random(f'{seed}/{index}')
        columns = Columns(dice)
        fields = [columns.column(f'c{i}') for i in range(dice.randint(1, 8))]
        rows = dice.choice([1, 3, 20])
        table = pa.Table.from_arrays([pa.array([draw(dice) for _ in range(rows)], field.type) for field, draw in fields],
                                     schema=pa.schema([field for field, _ in fields]))
        path = f'{folder}/{index}.parquet'
        pq.write_table(table, path, row_group_size=dice.choice([1, 4, 100]), store_decimal_as_integer=dice.random() < 0.5,
                       use_dictionary=dice.random() < 0.5, write_page_index=dice.random() < 0.3)
        answers.append({'path': path, 'open': open_columns(path), 'pyiceberg': pyiceberg_metrics(path)})
    return answers


def open_columns(path):
    """The IDs of columns of which a row group has values, and neither a minimum nor a maximum (of NaNs alone, say)."""
    file = pq.ParquetFile(path)
    ids = parquet_path_to_id_mapping(pyarrow_to_schema(file.schema_arrow))
    chunks = [file.metadata.row_group(g).column(c) for g in range(file.metadata.num_row_groups) for c in range(file.metadata.num_columns)]
    return sorted({str(ids[chunk.path_in_schema]) for chunk in chunks
                   if not chunk.statistics.has_min_max and chunk.statistics.null_count < chunk.num_values})


def pyiceberg_metrics(path):
    file = pq.ParquetFile(path)
    schema = pyarrow_to_schema(file.schema_arrow)
    try:
        made = data_file_statistics_from_parquet_metadata(
            file.metadata, compute_statistics_plan(schema, {}), parquet_path_to_id_mapping(schema)).to_serialized_dict()
    except Exception as error:
        return {'failed': repr(error)}
    plain = lambda member: {str(id): value for id, value in made[member].items()}
    return {
        'recordCount': made['record_count'], 'columnSizes': plain('column_sizes'), 'valueCounts': plain('value_counts'),
        'nullValueCounts': plain('null_value_counts'), 'splitOffsets': made['split_offsets'],
        'lowerBounds': {id: value.hex() for id, value in plain('lower_bounds').items()},
        'upperBounds': {id: value.hex() for id, value in plain('upper_bounds').items()},
    }


def values_of(table, path):
    """The values of a column below structs, one a row."""
    values = table.column(path[0]).to_pylist()
    for name in path[1:]:
        values = [None if value is None else value[name] for value in values]
    return values


def leaves(fields, path=()):
    for field in fields:
        here = (*path, field['name'])
        if isinstance(field['type'], str):
            yield here, field['type']
        elif field['type']['type'] == 'struct':
            yield from leaves(field['type']['fields'], here)


def predicates(dice, name, type, values):
    """Expressions on one column, each with the test of a value that it stands for."""
    # PyIceberg takes a required column below an optional struct for one that is never null.
    if '.' not in name:
        yield IsNull(name), lambda value: value is None
        yield NotNull(name), lambda value: value is not None
    # PyIceberg takes an infinite literal for one beyond every float.
    known = [value for value in values if value is not None and value == value and value not in (math.inf, -math.inf)]
    for value in dice.sample(known, min(3, len(known))):
        if type == 'boolean' or type.startswith('fixed'):
            yield EqualTo(name, value), lambda other, value=value: other == value
            continue
        if isinstance(value, datetime.time):
            continue
        compare = lambda test: lambda other, value=value: other is not None and other == other and test(other, value)
        yield EqualTo(name, value), compare(lambda a, b: a == b)
        yield NotEqualTo(name, value), lambda other, value=value: other is not None and other != value
        yield LessThan(name, value), compare(lambda a, b: a < b)
        yield LessThanOrEqual(name, value), compare(lambda a, b: a <= b)
        yield GreaterThan(name, value), compare(lambda a, b: a > b)
        yield GreaterThanOrEqual(name, value), compare(lambda a, b: a >= b)
        if type == 'string' and value:
            prefix = value[:dice.randint(1, len(value))]
            yield StartsWith(name, prefix), lambda other, prefix=prefix: other is not None and other.startswith(prefix)


def prune(seed, files):
    """Predicates by which PyIceberg would skip a file that has matching rows, or take all rows of one that has others."""
    wrong, asked, skipped, whole = [], 0, 0, 0
    for number, file in enumerate(files):
        dice = random.Random(f'{seed}/{number}')
        table = pq.read_table(file['path'])
        schema = Schema.model_validate(file['schema'])
        data_file = DataFile.from_args(
            file_path=file['path'], file_format=FileFormat.PARQUET, partition=Record(),
            record_count=file['metrics']['recordCount'], file_size_in_bytes=1,
            value_counts={int(id): count for id, count in file['metrics']['valueCounts'].items()},
            null_value_counts={int(id): count for id, count in file['metrics']['nullValueCounts'].items()},
            nan_value_counts={}, column_sizes={},
            lower_bounds={int(id): bytes.fromhex(value) for id, value in file['metrics']['lowerBounds'].items()},
            upper_bounds={int(id): bytes.fromhex(value) for id, value in file['metrics']['upperBounds'].items()})
        for path, type in leaves(file['schema']['fields']):
            values = values_of(table, path)
            for expression, test in predicates(dice, '.'.join(path), type, values):
                asked += 1
                matches = [bool(test(value)) for value in values]
                can_match = _InclusiveMetricsEvaluator(schema, expression).eval(data_file)
                skipped += not can_match
                if any(matches) and not can_match:
                    wrong.append(f"{file['path']} skipped: {expression}")
                # PyIceberg's strict evaluator takes an unknown NaN count for zero and knows no nested columns.
                is_strict = type not in ('float', 'double') and len(path) == 1
                if is_strict and _StrictMetricsEvaluator(schema, expression).eval(data_file):
                    whole += 1
                    if not all(matches):
                        wrong.append(f"{file['path']} taken whole: {expression}")
    return {'wrong': wrong, 'asked': asked, 'skipped': skipped, 'whole': whole}


request = json.load(sys.stdin)
print(json.dumps(make(**request['make']) if 'make' in request else prune(**request['prune'])))
