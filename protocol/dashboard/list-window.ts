/** Which pages of a list are asked for (contract dashboard.md 5.3): at most 200 rows, at most 100 in one request. */
export const LIST_ROWS_MAX = 200
export const LIST_PAGE_MAX = 100

/** `[limit, offset]` of each request for so many rows. */
export function listWindow(requested: number): [number, number][] {
  const rows = Math.min(Math.max(Math.floor(requested), 1), LIST_ROWS_MAX)
  const pages: [number, number][] = []
  for (let offset = 0; offset < rows; offset += LIST_PAGE_MAX) pages.push([Math.min(LIST_PAGE_MAX, rows - offset), offset])
  return pages
}
