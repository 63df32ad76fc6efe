/** Measured figures with their budgets: medians with spread, as a table for people and as JSON for machines. */

/** `max` null: reported without a budget. `note`: what was measured, or why it is over. */
export type Figure = { name: string; values: number[]; unit: string; max: number | null; note?: string }

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const short = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toFixed(3)).toString())

/** A figure is kept by its median; one that could not be measured is not. */
export const isKept = (figure: Figure): boolean => figure.max === null || median(figure.values) <= figure.max

export function figureLine(figure: Figure): string {
  const [low, high] = [Math.min(...figure.values), Math.max(...figure.values)]
  const spread = figure.values.length > 1 ? ` (${short(low)} to ${short(high)}, n=${figure.values.length})` : ''
  const budget = figure.max === null ? '' : `, at most ${short(figure.max)}`
  return `${figure.max === null ? '    ' : isKept(figure) ? 'ok  ' : 'OVER'} ${figure.name}: ${short(median(figure.values))} ${figure.unit}${spread}${budget}${figure.note ? ` [${figure.note}]` : ''}`
}

export const figuresJson = (figures: readonly Figure[]): string => `${JSON.stringify({ figures: figures.map((figure) => ({ ...figure, median: median(figure.values), kept: isKept(figure) })) }, null, 2)}\n`
