/** What a link asks its guests and which kinds of files it wants: as typed, and how it is read. Pure. */
import {
  fileKindsText,
  parseFileKinds,
  type Question,
  type QuestionsFault,
  questionsBytes,
  questionsFault,
} from '@blindkeep/client/questions'

export const QUESTION_KINDS = ['text', 'choice', 'date', 'number'] as const satisfies readonly Question['kind'][]

/** As typed. */
export interface QuestionDraft {
  /** Tells it from the others of its form, wherever it moves. */
  readonly id: number
  readonly label: string
  readonly kind: Question['kind']
  readonly required: boolean
  /** Of a choice: one a line. */
  readonly choices: string
  /** Of a text: the most characters; empty for as many as there may be. */
  readonly most: string
}

export interface AskedDraft {
  readonly questions: readonly QuestionDraft[]
  /** Endings with commas or spaces; empty for all kinds. */
  readonly fileKinds: string
}

/** What a link asks, as the client has it. */
export interface Asked {
  readonly questions: readonly Question[] | undefined
  readonly fileKinds: readonly string[] | undefined
}

export type AskedField = 'label' | 'choices' | 'most'

export interface AskedFaults {
  /** The first one: of this field of this question. */
  readonly question?: {
    readonly id: number
    readonly field: AskedField
    readonly reason: QuestionsFault['reason']
  }
  readonly fileKinds?: true
}

export function askedDraftOf({ questions, fileKinds }: Asked): AskedDraft {
  return {
    questions: (questions ?? []).map((question, id) => ({
      ...{ id, label: question.label, kind: question.kind, required: question.required },
      choices: question.kind === 'choice' ? question.choices.join('\n') : '',
      most: question.kind === 'text' && question.most !== undefined ? String(question.most) : '',
    })),
    fileKinds: (fileKinds ?? []).join(', '),
  }
}

export function withNewQuestion(questions: readonly QuestionDraft[]): readonly QuestionDraft[] {
  const id = Math.max(-1, ...questions.map((question) => question.id)) + 1
  return [...questions, { id, label: '', kind: 'text', required: true, choices: '', most: '' }]
}

/** One place up (-1) or down (1), as far as there is one. */
export function withMoved(questions: readonly QuestionDraft[], id: number, by: -1 | 1): readonly QuestionDraft[] {
  const from = questions.findIndex((question) => question.id === id)
  const [moved, other] = [questions[from], questions[from + by]]
  if (moved === undefined || other === undefined) return questions
  return questions.map((question, at) => (at === from ? other : at === from + by ? moved : question))
}

/** Returns what to ask, or the faults. Absent members: nothing is asked, and all kinds are welcome. */
export function readAsked({ questions: drafts, fileKinds: typed }: AskedDraft): {
  readonly asked?: Partial<Asked>
  readonly faults: AskedFaults
} {
  const questions = drafts.map(questionOf)
  const endings = typed.split(/[\s,;]+/).filter((ending) => ending !== '')
  const fileKinds = endings.length === 0 ? undefined : fileKindsOf(endings)
  const fault = questions.length === 0 ? undefined : questionsFault(questions)
  // What is too much in all is said at the last one.
  const { id } = drafts.at(fault?.at ?? -1) ?? { id: 0 }
  const faults: AskedFaults = {
    ...(fault && { question: { id, field: fieldOf(fault.reason), reason: fault.reason } }),
    ...(fileKinds === undefined && endings.length > 0 && { fileKinds: true }),
  }
  if (Object.keys(faults).length > 0) return { faults }
  return { asked: { ...(questions.length > 0 && { questions }), ...(fileKinds && { fileKinds }) }, faults }
}

/** Bytes that they take of what a link may say. */
export function bytesOf(drafts: readonly QuestionDraft[]): number {
  return questionsBytes(drafts.map(questionOf))
}

function fieldOf(reason: QuestionsFault['reason']): AskedField {
  if (reason === 'most') return 'most'
  return reason.startsWith('choice') ? 'choices' : 'label'
}

/** `*.pdf` is meant as `pdf`. Undefined for what is no ending. */
function fileKindsOf(endings: readonly string[]): readonly string[] | undefined {
  try {
    return parseFileKinds(fileKindsText(endings.map((ending) => ending.replace(/^\*/, ''))))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function questionOf({ label, kind, required, choices, most }: QuestionDraft): Question {
  if (kind === 'choice')
    return { label, required, kind, choices: choices.split('\n').filter((choice) => choice.trim() !== '') }
  if (kind === 'text') return { label, required, kind, most: most.trim() === '' ? undefined : Number(most) }
  return { label, required, kind }
}
