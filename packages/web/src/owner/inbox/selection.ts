/** Which rows of a list are chosen. Pure, over the ids in the order in which they are shown. */
export interface Selection {
  readonly chosen: ReadonlySet<string>
  /** The row that was touched last: from there a click with shift reaches. */
  readonly anchor: string | undefined
}

export const NOTHING: Selection = { chosen: new Set(), anchor: undefined }

interface Touch {
  readonly id: string
  readonly isOn: boolean
  /** With shift: everything between the anchor and this row becomes as this row. */
  readonly reaches: boolean
}

export function touched({ chosen, anchor }: Selection, shown: readonly string[], touch: Touch): Selection {
  const here = shown.indexOf(touch.id)
  const there = touch.reaches && anchor !== undefined ? shown.indexOf(anchor) : here
  const [from, to] = there === -1 ? [here, here] : [Math.min(here, there), Math.max(here, there)]
  const next = new Set(chosen)
  for (const id of shown.slice(from, to + 1)) {
    if (touch.isOn) next.add(id)
    else next.delete(id)
  }
  return { chosen: next, anchor: touch.id }
}

/** All that are shown, or none; what is chosen and not shown, because of a filter, is let go of as well. */
export function allOrNone(shown: readonly string[], isOn: boolean): Selection {
  return isOn ? { chosen: new Set(shown), anchor: undefined } : NOTHING
}

/** Without those that are not there any more: nothing is done to what nobody sees. The same selection when nothing has changed. */
export function pruned(selection: Selection, shown: readonly string[]): Selection {
  const there = new Set(shown)
  const chosen = new Set([...selection.chosen].filter((id) => there.has(id)))
  return chosen.size === selection.chosen.size ? selection : { ...selection, chosen }
}

export function extentOf({ chosen }: Selection, shown: readonly string[]): 'none' | 'some' | 'all' {
  if (chosen.size === 0) return 'none'
  return shown.every((id) => chosen.has(id)) ? 'all' : 'some'
}
