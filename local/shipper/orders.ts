import { type Dataset, epochDay, epochMicros } from './dataset.ts';
import { list, map, optional, required, schema, struct } from './schema-notation.ts';

/** Orders of a shop: money in decimals of every width, items in a list, an address two structs deep. */
export const orders: Dataset = {
  name: 'orders',
  segments: 12,
  rowsPerSegment: 2000,
  versions: [
    schema(
      required(1, 'seq', 'long'),
      required(2, 'order_number', 'string'),
      required(3, 'customer_id', 'long'),
      required(4, 'placed_at', 'timestamptz'),
      required(5, 'placed_on', 'date'),
      optional(6, 'delivered_on', 'date'),
      required(7, 'status', 'string'),
      required(8, 'currency', 'string'),
      required(9, 'net', 'decimal(9,2)'),
      optional(10, 'tax', 'decimal(12,4)'),
      optional(11, 'ledger_amount', 'decimal(38,10)'),
      optional(12, 'weight_kg', 'float'),
      required(13, 'express', 'boolean'),
      optional(14, 'note', 'string'),
      required(
        15,
        'items',
        list(
          20,
          struct(
            required(21, 'sku', 'string'),
            required(22, 'quantity', 'int'),
            optional(23, 'price', 'decimal(10,2)'),
            optional(24, 'options', map(25, 'string', 26, 'string')),
          ),
        ),
      ),
      optional(
        16,
        'shipping',
        struct(
          optional(27, 'name', 'string'),
          optional(
            28,
            'address',
            struct(
              optional(29, 'street', 'string'),
              optional(30, 'city', 'string'),
              optional(31, 'lines', list(33, 'string')),
            ),
          ),
          optional(32, 'instructions', 'string'),
        ),
      ),
      optional(17, 'discounts', map(34, 'string', 35, 'decimal(8,3)')),
      optional(18, 'quantities', list(36, list(37, 'int'))),
    ),
  ],
  row: (dice, seq) => {
    const placedAt = epochMicros + seq * 1_700_000n + BigInt(dice.integer(0, 999_999));
    const placedOn = epochDay + Number((placedAt - epochMicros) / 86_400_000_000n);
    const net = dice.integer(-20_000, 9_999_999);
    return {
      seq,
      order_number: `ORD-${(1_000_000_000n + seq * 7n).toString(36).toUpperCase()}`,
      customer_id: BigInt(dice.integer(1, 2 ** 45)),
      placed_at: placedAt,
      placed_on: placedOn,
      delivered_on: dice.chance(0.3) ? null : placedOn + dice.integer(1, 9),
      status: dice.pick(['open', 'paid', 'shipped', 'returned']),
      currency: dice.pick(['EUR', 'DKK', 'PLN', 'JPY']),
      net: BigInt(net),
      tax: dice.chance(0.05) ? null : BigInt(net) * 21n + BigInt(dice.integer(0, 99)),
      ledger_amount: dice.chance(0.2) ? null : BigInt(net) * 10n ** 24n + BigInt(dice.integer(0, 2 ** 40)),
      weight_kg: dice.chance(0.1) ? null : dice.integer(1, 4000) / 16,
      express: dice.chance(0.2),
      note: dice.chance(0.7)
        ? null
        : dice.pick(['', "it's a gift", 'line one\nline two', 'ring\ttwice \\ "B"']),
      items: Array.from({ length: dice.integer(1, 5) }, () => ({
        sku: `SKU-${dice.integer(1, 5000)}`,
        quantity: dice.integer(1, 12),
        price: dice.chance(0.05) ? null : BigInt(dice.integer(99, 250_000)),
        options: new Map(dice.chance(0.3) ? [['colour', dice.pick(['rød', 'blå', null])]] : []),
      })),
      shipping: dice.chance(0.1)
        ? null
        : {
            name: dice.pick(['Åse', 'Łucja', '太郎', "O'Hara"]),
            address: dice.chance(0.1)
              ? null
              : {
                  street: `${dice.pick(['Nygade', 'Długa', 'Rue de l’Église'])} ${dice.integer(1, 200)}`,
                  city: dice.pick(['Odense', 'Gdańsk', 'Lille']),
                  lines: dice.chance(0.5) ? [] : [`floor ${dice.integer(1, 9)}`, null],
                },
            instructions: dice.chance(0.8) ? null : 'leave at the door',
          },
      discounts: new Map(dice.chance(0.4) ? [['SPRING', BigInt(dice.integer(0, 99_999))]] : []),
      quantities: Array.from({ length: dice.integer(0, 2) }, () =>
        Array.from({ length: dice.integer(0, 3) }, () => dice.integer(0, 50)),
      ),
    };
  },
};
