/** Which of many files are meant, and in which order. Pure: the caller says what is known of each file. */
import { millisecondsOf } from '@blindkeep/protocol/ids'
import { type Answers, answerTo } from '../seal/answers.ts'
import { foldText, sortKeyOf } from './foldText.ts'
import { type FileKind, kindOf } from './kinds.ts'

/** What a file says of itself; unverified, like all that guests say. The same object for the same file: it is a key. */
export interface NamedFile {
  readonly name?: string | undefined
  readonly sender?: string | undefined
  /** Media type. */
  readonly type?: string | undefined
}

export interface Findable {
  /** Undefined while its name is not known: then no word, kind and sender finds it. */
  readonly file: NamedFile | undefined
  /** Other words that find it: of its link, or its album. */
  readonly also?: string | undefined
  /** Bytes. */
  readonly size: number
  /** When it arrived, RFC 3339. */
  readonly at: string
}

export interface FindQuery {
  /** All of them must be in the name, the sender or `also`, each anywhere. Case and accents do not count. */
  readonly words?: string | undefined
  readonly kind?: FileKind | undefined
  /** All of its words must be in what the file says of its sender. */
  readonly sender?: string | undefined
  /** Milliseconds: not before. */
  readonly sinceMs?: number | undefined
  /** Milliseconds: before. */
  readonly untilMs?: number | undefined
  /** Bytes: at least. */
  readonly largerThan?: number | undefined
  /** Bytes: at most. */
  readonly smallerThan?: number | undefined
}

export const SORT_ORDERS = ['newest', 'oldest', 'name', 'sender', 'largest', 'smallest'] as const
export type SortOrder = (typeof SORT_ORDERS)[number]

export function isSortOrder(text: unknown): text is SortOrder {
  return SORT_ORDERS.some((order) => order === text)
}

/** More words than these are not looked for. */
const MAX_WORDS = 16

interface Folded {
  readonly text: string
  readonly sender: string
  readonly kind: FileKind
}

/** A name is folded once, and searched with each letter that is typed. */
const folded = new WeakMap<NamedFile, Folded>()

function foldedOf(file: NamedFile): Folded {
  const known = folded.get(file)
  if (known !== undefined) return known
  const sender = foldText(file.sender ?? '')
  const made = { text: `${foldText(file.name ?? '')}\n${sender}`, sender, kind: kindOf(file) }
  folded.set(file, made)
  return made
}

/** Whether the query asks for what only the name of a file says. */
export function asksNames({ words, kind, sender }: FindQuery): boolean {
  return kind !== undefined || wordsOf(words).length > 0 || wordsOf(sender).length > 0
}

function wordsOf(text = ''): readonly string[] {
  const all = foldText(text).split(/\s+/)
  return all.filter((word) => word !== '').slice(0, MAX_WORDS)
}

/** The query as a rule, made once for all files. */
export function finderOf(query: FindQuery): (file: Findable) => boolean {
  const { kind, sinceMs, untilMs, largerThan, smallerThan } = query
  const [words, sender, needsNames] = [wordsOf(query.words), wordsOf(query.sender), asksNames(query)]
  // Thousands of files have one link or album.
  const others = new Map<string, string>()
  const otherWords = (also: string) => {
    const known = others.get(also) ?? foldText(also)
    others.set(also, known)
    return known
  }
  return ({ file, also, size, at }) => {
    if (largerThan !== undefined && size < largerThan) return false
    if (smallerThan !== undefined && size > smallerThan) return false
    if (sinceMs !== undefined || untilMs !== undefined) {
      const atMs = millisecondsOf(at)
      if ((sinceMs !== undefined && atMs < sinceMs) || (untilMs !== undefined && atMs >= untilMs)) return false
    }
    if (!needsNames) return true
    if (file === undefined) return false
    const said = foldedOf(file)
    if (kind !== undefined && said.kind !== kind) return false
    if (!sender.every((word) => said.sender.includes(word))) return false
    return words.every((word) => said.text.includes(word) || (also !== undefined && otherWords(also).includes(word)))
  }
}

/** Files without a known name come last in the orders by name and sender. Equal ones stay as they are. */
export function sortedBy<Item>(
  items: readonly Item[],
  order: SortOrder,
  findable: (item: Item) => Findable,
): readonly Item[] {
  const keyed = items.map((item) => ({ item, key: sortValueOf(findable(item), order) }))
  const direction = order === 'newest' || order === 'largest' ? -1 : 1
  keyed.sort(({ key: one }, { key: other }) => (one === other ? 0 : one < other ? -direction : direction))
  return keyed.map(({ item }) => item)
}

/** Whether an answer has all of these words, each anywhere. Case and accents do not count. */
export function answerFinder(words: string): (answer: string | undefined) => boolean {
  const wanted = wordsOf(words)
  return (answer) => {
    const said = foldText(answer ?? '')
    return wanted.every((word) => said.includes(word))
  }
}

/**
 * By the answer to one question: all numbers by their value, other texts as names. Files without one come last, and
 * equal ones stay as they are.
 */
export function sortedByAnswer<Item>(
  items: readonly Item[],
  label: string,
  answersOf: (item: Item) => Answers | undefined,
): readonly Item[] {
  const keyed = items.map((item) => ({ item, answer: answerTo(answersOf(item), label) }))
  const areNumbers = keyed.every(({ answer }) => answer === undefined || /^-?\d+(?:\.\d+)?$/u.test(answer))
  const keyOf = (answer: string) => (areNumbers ? Number(answer) : sortKeyOf(foldText(answer)))
  const known = keyed.flatMap(({ item, answer }) => (answer === undefined ? [] : [{ item, key: keyOf(answer) }]))
  known.sort(({ key: one }, { key: other }) => (one === other ? 0 : one < other ? -1 : 1))
  const others = keyed.filter(({ answer }) => answer === undefined)
  return [...known, ...others].map(({ item }) => item)
}

/** After every letter. */
const LAST = '\uffff'

function sortValueOf({ file, size, at }: Findable, order: SortOrder): string | number {
  if (order === 'newest' || order === 'oldest') return at
  if (order === 'largest' || order === 'smallest') return size
  const name = file?.name === undefined ? LAST : sortKeyOf(foldText(file.name))
  if (order === 'name') return name
  return `${file?.sender === undefined ? LAST : foldText(file.sender)}\n${name}`
}
