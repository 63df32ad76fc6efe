/** One formula as MathML elements; a mistake in it leaves its text. */
import temml from 'temml'

export function drawFormula(formula: string, element: HTMLElement, display: boolean): void {
  try {
    temml.render(formula, element, { displayMode: display, throwOnError: true, trust: false, maxExpand: 200, maxSize: [20, 20] })
  } catch {
    element.textContent = formula
  }
}
