/**
 * Where saved files go by what their guests say: `{Matter number}/{sender}` is a folder for each matter, and in it one
 * for each sender. In braces stand the label of a question, or `sender`. The owner writes the template, and guests the
 * texts in it, so a text never makes two folders of one: `safePath` makes one safe name of each.
 */
import { type Answers, answerTo } from './seal/answers.ts'

export const MAX_TEMPLATE_FOLDERS = 8
const SENDER = 'sender'

/** A text of the owner, or what a guest says. */
type Piece = { readonly text: string } | { readonly label: string }

/** The folders from the outermost one on, and what each is called. */
export type FolderTemplate = readonly (readonly Piece[])[]

/** What a guest says of a file. */
export interface TemplateFile {
  readonly sender?: string | undefined
  readonly fields?: Answers | undefined
}

/** Throws `RangeError`, with the reason for a person. */
export function parseFolderTemplate(text: string): FolderTemplate {
  const folders: Piece[][] = [[]]
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf('{', at)
    const between = open < 0 ? text.slice(at) : text.slice(at, open)
    const [first = '', ...others] = between.split('/')
    for (const [index, piece] of [first, ...others].entries()) {
      if (index > 0) folders.push([])
      if (piece !== '') folders.at(-1)?.push({ text: piece })
    }
    if (open < 0) break
    const close = text.indexOf('}', open)
    const label = text.slice(open + 1, close).trim()
    if (close < 0 || label === '') throw new RangeError('a brace needs a label and its end, as in {Matter number}')
    folders.at(-1)?.push({ label })
    at = close + 1
  }
  if (folders.length > MAX_TEMPLATE_FOLDERS)
    throw new RangeError(`a file goes into at most ${MAX_TEMPLATE_FOLDERS} folders`)
  if (folders.some(isNowhere)) throw new RangeError('each folder needs a name, between one / and the next')
  return folders
}

/** The labels in braces, without `sender`. */
export function labelsIn(template: FolderTemplate): readonly string[] {
  const labels = template.flat().flatMap((piece) => ('label' in piece && piece.label !== SENDER ? [piece.label] : []))
  return [...new Set(labels)]
}

/** Texts for `safePath`: what a guest says is in them as it is. */
export function foldersFor(template: FolderTemplate, file: TemplateFile): readonly string[] {
  const textOf = (piece: Piece) => ('text' in piece ? piece.text : saidOf(file, piece.label))
  return template.map((pieces) => pieces.map(textOf).join(''))
}

function saidOf({ sender, fields }: TemplateFile, label: string): string {
  return (label === SENDER ? sender : answerTo(fields, label)) ?? ''
}

/** Empty, `.` or `..`. */
function isNowhere(pieces: readonly Piece[]): boolean {
  return pieces.every((piece) => 'text' in piece && /^[. ]*$/u.test(piece.text))
}
