/**
 * The one way in which a page is drawn. Names, notes and labels come from other people, and characters that turn the
 * direction of text make `exe.fdp` look like `pdf.exe` (Unicode TR 36, section 2.10). So they are taken out of every
 * text and label that a page draws: no component has to remember it. `Name` also isolates a name whose letters run from
 * right to left.
 */
import { type ComponentChild, h, options, render } from 'preact'
import { ReaderOf } from '../language/reader.ts'

/** All of `Bidi_Control` but FSI and PDI, which `isolated` adds, and which turn nothing outside. */
const DIRECTIONS = /[\u061C\u200E\u200F\u202A-\u202E\u2066\u2067]/g

export function withoutDirections(text: string): string {
  return text.replace(DIRECTIONS, '')
}

/** Attributes that people see or hear. What is typed into a field stays as it is. */
const SHOWN = ['alt', 'aria-description', 'aria-label', 'aria-valuetext', 'label', 'placeholder', 'title'] as const

/** What Preact makes of an element or a text. A text is a node without a type, whose properties are the text. */
interface Drawn {
  readonly type: unknown
  props: unknown
}

export function makePlain(node: Drawn): void {
  const { type, props } = node
  if (type === null && typeof props === 'string') node.props = withoutDirections(props)
  if (typeof type !== 'string' || typeof props !== 'object' || props === null) return
  for (const name of SHOWN) {
    const value: unknown = Reflect.get(props, name)
    if (typeof value === 'string') Reflect.set(props, name, withoutDirections(value))
  }
}

export function draw(page: ComponentChild, root: HTMLElement): void {
  const before = options.vnode
  options.vnode = (node) => {
    makePlain(node)
    before?.(node)
  }
  render(h(ReaderOf, null, page), root)
}
