/** Finds elements as a person does: by role, name and text. */

/** A string must be the whole text, a pattern a part of it. White space counts as one space. */
export type Wanted = string | RegExp

export interface Target {
  /** A selector, where a role does not say enough. */
  readonly css?: string
  readonly role?: 'button' | 'link' | 'heading' | 'field' | 'file' | 'checkbox' | 'image' | 'progressbar'
  /** The accessible name: its label, or the text in it. */
  readonly name?: Wanted
  /** A text in it. With neither `css` nor `role`, the smallest element with it. */
  readonly text?: Wanted
  readonly within?: Target
}

/** A `Target` as JSON. */
export interface SentTarget {
  readonly css: string
  readonly name?: SentWanted
  readonly text?: SentWanted
  /** The smallest of those that match. */
  readonly isInnermost: boolean
  /** Fields for files are hidden behind a button. */
  readonly mayBeHidden: boolean
  readonly within?: SentTarget
}

interface SentWanted {
  readonly pattern: string
  readonly flags: string
}

const ROLES: Readonly<Record<NonNullable<Target['role']>, string>> = {
  button: 'button, [role=button], summary',
  link: 'a[href]',
  heading: 'h1, h2, h3, h4, h5, h6',
  field: 'input:not([type=file], [type=checkbox], [type=radio]), textarea, select',
  file: 'input[type=file]',
  checkbox: 'input[type=checkbox], input[type=radio]',
  image: 'img, [role=img]',
  progressbar: 'progress, [role=progressbar]',
}

export function sentTarget({ css, role, name, text, within }: Target): SentTarget {
  return {
    css: css ?? (role === undefined ? '*' : ROLES[role]),
    isInnermost: css === undefined && role === undefined,
    mayBeHidden: role === 'file',
    ...(name === undefined ? {} : { name: sentWanted(name, true) }),
    ...(text === undefined ? {} : { text: sentWanted(text, false) }),
    ...(within === undefined ? {} : { within: sentTarget(within) }),
  }
}

function sentWanted(wanted: Wanted, isWhole: boolean): SentWanted {
  if (typeof wanted !== 'string') return { pattern: wanted.source, flags: wanted.flags }
  const pattern = wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, ' ')
  return { pattern: isWhole ? `^${pattern}$` : pattern, flags: '' }
}

export interface FindOrder {
  readonly target: SentTarget
  /** Marks the first element that is found, if it can be used. */
  readonly mark?: { readonly attribute: string; readonly value: string }
}

export interface Found {
  readonly count: number
  /** The first element has the mark: it is there and not disabled. */
  readonly isMarked: boolean
  readonly text: string
  readonly value: string
}

/** Runs in the page. Hidden elements count only where the target allows it. */
export function findInPage({ target, mark }: FindOrder): Found {
  const clean = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()
  const fits = (text: string, wanted: SentWanted | undefined) =>
    wanted === undefined || new RegExp(wanted.pattern, wanted.flags).test(text)

  /** What is hidden from assistive technology is no part of a name. */
  function namingText(element: Element): string {
    const copy = element.cloneNode(true) as Element
    for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove()
    return copy.textContent ?? ''
  }

  function nameOf(element: Element): string {
    const ids = element.getAttribute('aria-labelledby')?.split(/\s+/) ?? []
    if (ids.length > 0) return clean(ids.map((id) => document.getElementById(id)?.textContent ?? '').join(' '))
    const label = element.getAttribute('aria-label') ?? element.getAttribute('alt')
    if (label !== null) return clean(label)
    const labels = 'labels' in element ? [...((element.labels as NodeListOf<Element> | null) ?? [])] : []
    return clean(labels.length > 0 ? labels.map(namingText).join(' ') : namingText(element))
  }

  function textOf(element: Element): string {
    return clean(element instanceof HTMLElement && !wantsHidden ? element.innerText : element.textContent)
  }

  function all(sought: SentTarget): readonly Element[] {
    const scopes = sought.within === undefined ? [document.documentElement] : all(sought.within)
    const found = scopes
      .flatMap((scope) => [...scope.querySelectorAll(sought.css)])
      .filter((element) => sought.mayBeHidden || element.checkVisibility({ visibilityProperty: true }))
      .filter((element) => sought.name === undefined || fits(nameOf(element), sought.name))
      .filter((element) => sought.text === undefined || fits(textOf(element), sought.text))
    return sought.isInnermost
      ? found.filter((element) => !found.some((other) => other !== element && element.contains(other)))
      : found
  }

  const wantsHidden = target.mayBeHidden
  const found = all(target)
  const [first] = found
  const isUsable = first !== undefined && !first.matches(':disabled, [aria-disabled=true]')
  if (mark !== undefined) {
    for (const marked of document.querySelectorAll(`[${mark.attribute}]`)) marked.removeAttribute(mark.attribute)
    if (isUsable) first.setAttribute(mark.attribute, mark.value)
  }
  return {
    count: found.length,
    isMarked: isUsable,
    text: first === undefined ? '' : textOf(first),
    value: first !== undefined && 'value' in first ? String(first.value) : '',
  }
}
