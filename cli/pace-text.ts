import { counted } from '../lib/counted.ts';
import type { Pace } from '../lib/jobs/pace.ts';
import { readableAmount } from './readable-amount.ts';

/** `12,000 of 1,000,000 objects · 1,234 a second · 13 min left`. @param unit the unit of the rate, if it is not objects */
export function paceText(seen: number, { count, perSecond, leftMs }: Pace, unit = ''): string {
  const amount = (of: number) => readableAmount(of, 'count');
  // Objects may be uploaded behind the count.
  const total = `${count.isAll ? '' : 'at least '}${counted(Math.max(count.counted, seen), 'object')}`;
  const left = leftMs === undefined ? '' : ` · ${readableAmount(leftMs, 'ms')} left`;
  return `${amount(seen)} of ${total} · ${amount(perSecond)} ${unit}a second${left}`;
}
