/** The chosen rows of a list. Pure functions over the ids of the rows, in the order in which they are shown. */
export interface Selection {
  readonly chosen: ReadonlySet<string>
  /** The row that was clicked last: a click with shift extends from there. */
  readonly anchor: string | undefined
}

export const EMPTY_SELECTION: Selection = { chosen: new Set(), anchor: undefined }

interface Click {
  readonly id: string
  readonly isOn: boolean
  /** With shift: all rows between the anchor and this row change like this row. */
  readonly isRange: boolean
}

export function afterClick({ chosen, anchor }: Selection, shown: readonly string[], click: Click): Selection {
  const clicked = shown.indexOf(click.id)
  const start = click.isRange && anchor !== undefined ? shown.indexOf(anchor) : clicked
  const [from, to] = start === -1 ? [clicked, clicked] : [Math.min(clicked, start), Math.max(clicked, start)]
  const next = new Set(chosen)
  for (const id of shown.slice(from, to + 1)) {
    if (click.isOn) next.add(id)
    else next.delete(id)
  }
  return { chosen: next, anchor: click.id }
}

/** All shown rows, or none. Rows that a filter hides are no longer chosen. */
export function allOrNone(shown: readonly string[], isOn: boolean): Selection {
  return isOn ? { chosen: new Set(shown), anchor: undefined } : EMPTY_SELECTION
}

/** These rows change, and the others stay as they are. */
export function afterAll({ chosen }: Selection, ids: readonly string[], isOn: boolean): Selection {
  const next = new Set(chosen)
  for (const id of ids) {
    if (isOn) next.add(id)
    else next.delete(id)
  }
  return { chosen: next, anchor: undefined }
}

/** Without hidden rows, so that no action affects one. The same object when nothing changed. */
export function pruned(selection: Selection, shown: readonly string[]): Selection {
  const visible = new Set(shown)
  const chosen = new Set([...selection.chosen].filter((id) => visible.has(id)))
  return chosen.size === selection.chosen.size ? selection : { ...selection, chosen }
}

export function extentOf({ chosen }: Selection, shown: readonly string[]): 'none' | 'some' | 'all' {
  if (chosen.size === 0) return 'none'
  return shown.every((id) => chosen.has(id)) ? 'all' : 'some'
}
