/** The Markdown that the check needs: headings, links, blocks of commands, and drawn floors. */
import { type Floors, floorsIn } from './floors.ts'

export interface Link {
  readonly line: number
  readonly target: string
}

/** A block of commands that can be run. */
export interface Block {
  /** Of its first command. */
  readonly line: number
  readonly commands: string
}

export interface Document {
  /** From the root of the repository. */
  readonly file: string
  /** What an address of this document may have after its `#`. */
  readonly anchors: ReadonlySet<string>
  readonly links: readonly Link[]
  readonly blocks: readonly Block[]
  readonly floors: readonly Floors[]
  /** The lines of paragraphs, and of cells, that are so long that what they say belongs into a list or a table. */
  readonly long: readonly number[]
}

/** A line that is no part of the paragraph before it. */
const ENDS_PARAGRAPH = /^\s*(?:$|#|\||[-*+] |\d+\. )/
const MAX_PARAGRAPH_LENGTH = 600

const RUNNABLE = 'sh run'
const RUNNABLE_MODULE = 'js run'
const FENCE = /^ *(`{3,}|~{3,}) *(.*)$/
const HEADING = /^#{1,6} +(.*?)(?: +#+)? *$/
/** `](target)`, also of a picture; `[name]: target`; and the HTML that Markdown lets through. */
const TARGETS = [/\]\(<?([^)\s>]+)>?(?: +"[^"]*")?\)/g, /^ *\[[^\]]+\]: +<?([^\s>]+)>?/g, /\b(?:href|src)="([^"]+)"/g]
const NAMED = /<[a-z]+ [^>]*\b(?:id|name)="([^"]+)"/g

export function readDocument(file: string, text: string): Document {
  const [links, blocks, headings, anchors]: [Link[], Block[], string[], Set<string>] = [[], [], [], new Set()]
  const [floors, long]: [Floors[], number[]] = [[], []]
  let paragraph = { line: 1, length: 0 }
  for (const { line, content, info } of piecesOf(text)) {
    if (info === RUNNABLE) blocks.push({ line, commands: content })
    if (info === RUNNABLE_MODULE) blocks.push({ line, commands: `node --input-type=module <<'END'\n${content}\nEND` })
    const drawn = info === undefined ? undefined : floorsIn(info, content)
    if (drawn !== undefined) floors.push(drawn)
    if (info !== undefined || ENDS_PARAGRAPH.test(content)) paragraph = { line, length: 0 }
    if (info !== undefined) continue
    const before = paragraph.length
    if (before === 0) paragraph.line = line
    const prose = content.replaceAll(/`[^`]*`/g, '')
    // A cell that is a list has items, or names of code.
    if (!content.startsWith('|')) paragraph.length += content.length
    else if (prose.split(/\||<br>/).some((text) => text.trim().length > MAX_PARAGRAPH_LENGTH)) long.push(line)
    if (paragraph.length > MAX_PARAGRAPH_LENGTH && before <= MAX_PARAGRAPH_LENGTH) long.push(paragraph.line)
    const heading = HEADING.exec(content)?.[1]
    if (heading !== undefined) headings.push(heading)
    for (const pattern of TARGETS)
      for (const [, target] of prose.matchAll(pattern)) if (target !== undefined) links.push({ line, target })
    for (const [, name] of prose.matchAll(NAMED)) if (name !== undefined) anchors.add(name)
  }
  const counts = new Map<string, number>()
  for (const heading of headings) {
    const anchor = anchorOf(heading)
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`)
  }
  return { file, anchors, links, blocks, floors, long }
}

/** The anchor that GitHub gives a heading. */
export function anchorOf(heading: string): string {
  const shown = heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]|(?<!\w)_|_(?!\w)/g, '')
  return shown
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
}

interface Piece {
  /** From 1. */
  readonly line: number
  readonly content: string
  /** What stands behind the fence; undefined for a line outside of fences. */
  readonly info?: string
}

/** Lines outside of fences, one by one, and whole fenced blocks. */
function* piecesOf(text: string): Generator<Piece> {
  let open:
    | { readonly fence: string; readonly info: string; readonly line: number; readonly lines: string[] }
    | undefined
  for (const [index, content] of text.split('\n').entries()) {
    const [, fence = '', info = ''] = FENCE.exec(content) ?? []
    if (open === undefined && fence !== '') open = { fence, info: info.trim(), line: index + 2, lines: [] }
    else if (open === undefined) yield { line: index + 1, content }
    else if (fence.startsWith(open.fence) && info === '') {
      yield { line: open.line, content: open.lines.join('\n'), info: open.info }
      open = undefined
    } else open.lines.push(content)
  }
}
