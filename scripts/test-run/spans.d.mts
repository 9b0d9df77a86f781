export interface Moment {
  readonly at: number;
  readonly busy: number;
  readonly total: number;
}

/** A ring as a whole, or one set-up that its tests share. */
interface SpanName {
  readonly ring: string;
  readonly part: 'whole' | 'set-up';
}

export function moment(): Moment;
export function appendSpan(span: SpanName & { readonly from: Moment }, folder?: string): void;
export function recordSpan<T>(span: SpanName, work: () => Promise<T>): Promise<T>;
