import type { PartitionValue } from '../spec/partition-spec.ts';
import { compareSingleValues, floatingPoint, isFloatingPoint, isReadable } from '../spec/single-value.ts';
import type { ResolvedPartitionField } from './transform.ts';

/** Summary of one partition field of a manifest, as the manifest list has it (`field_summary` of the spec). */
export interface FieldSummary {
  readonly containsNull: boolean;
  readonly containsNan: boolean | undefined;
  readonly lowerBound: Uint8Array | undefined;
  readonly upperBound: Uint8Array | undefined;
}

/** One summary per field of the partition spec. NaN is never a bound (cases.md B26). */
export function summarisePartitions(
  fields: readonly ResolvedPartitionField[],
  tuples: readonly (readonly PartitionValue[])[],
): readonly FieldSummary[] {
  return fields.map(({ resultType }, index) => {
    const values = tuples.flatMap((tuple) => tuple[index] ?? []);
    const ordered = isFloatingPoint(resultType)
      ? values.filter((value) => !Number.isNaN(floatingPoint(value)))
      : values;
    const pick = (sign: number) => (best: Uint8Array, value: Uint8Array) =>
      compareSingleValues(resultType, value, best) * sign < 0 ? value : best;
    const [first] = ordered;
    return {
      containsNull: values.length < tuples.length,
      containsNan: ordered.length < values.length,
      lowerBound: first && ordered.reduce(pick(1), first),
      upperBound: first && ordered.reduce(pick(-1), first),
    };
  });
}

/** @throws TypeError for a bound that cannot be compared, which another writer may have left */
export function checkBounds(
  fields: readonly ResolvedPartitionField[],
  summaries: readonly FieldSummary[] | undefined,
): void {
  for (const [index, { field, resultType }] of fields.entries()) {
    const { lowerBound, upperBound } = summaries?.[index] ?? {};
    for (const bound of [lowerBound, upperBound]) {
      if (bound === undefined || isReadable(resultType, bound)) continue;
      throw new TypeError(
        `its bound of the partition field "${field.name}" has ${bound.length} bytes, which is no ${resultType}`,
      );
    }
  }
}

/** Combines the summaries of several manifests of one spec; undefined if one of the manifests has none. */
export function mergedSummaries(
  fields: readonly ResolvedPartitionField[],
  manifests: readonly (readonly FieldSummary[] | undefined)[],
): readonly FieldSummary[] | undefined {
  if (manifests.some((summaries) => summaries?.length !== fields.length)) return undefined;
  return fields.map(({ resultType }, index) => {
    const summaries = manifests.flatMap((one) => one?.[index] ?? []);
    const nan = summaries.map(({ containsNan }) => containsNan);
    const bounds = (side: 'lowerBound' | 'upperBound', sign: number) =>
      summaries
        .flatMap((summary) => summary[side] ?? [])
        .reduce<Uint8Array | undefined>(
          (best, value) =>
            best === undefined || compareSingleValues(resultType, value, best) * sign < 0 ? value : best,
          undefined,
        );
    return {
      containsNull: summaries.some(({ containsNull }) => containsNull),
      containsNan: nan.includes(true) ? true : nan.includes(undefined) ? undefined : false,
      lowerBound: bounds('lowerBound', 1),
      upperBound: bounds('upperBound', -1),
    };
  });
}
