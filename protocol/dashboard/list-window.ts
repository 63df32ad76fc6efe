/** Which page of a list is asked for next (contract dashboard.md 5.3): at most 100 rows in one request. The contract's window of 200 rows is widened, because the list here is read while it is scrolled. */
export const LIST_ROWS_MAX = 20_000
export const LIST_PAGE_MAX = 100
/** Rows read twice where two pages meet: what moved up in the meantime pushes others over the border. */
export const LIST_OVERLAP = 10

/** `[limit, offset]` of the page after so many rows; null when the list is as long as it may get. */
export function nextPage(rows: number): [number, number] | null {
  if (rows >= LIST_ROWS_MAX) return null
  const offset = Math.max(0, Math.floor(rows) - LIST_OVERLAP)
  return [Math.min(LIST_PAGE_MAX, LIST_ROWS_MAX - offset), offset]
}
