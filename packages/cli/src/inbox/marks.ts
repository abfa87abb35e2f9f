/** What an owner should look at in a file: answers that are not as asked, and a kind that is not wanted. */
import type { InboxItem, OwnLink } from '@blindkeep/client/owner'
import { type AnswerFault, askedBy, type Mark, marksOf } from '@blindkeep/client/questions'
import { shown } from '../ground/texts.ts'

/** Undefined for a drop that does not open, and for a link that is not known or whose words do not open. */
export function marksIn({ file }: InboxItem, link: OwnLink | undefined): readonly Mark[] | undefined {
  const asked = askedBy(link)
  return file && asked && marksOf(asked, file)
}

/** `Matter number missing, not a pdf or jpg`. */
export function marksText(marks: readonly Mark[]): string {
  return marks.map(markText).join(', ')
}

function markText(mark: Mark): string {
  switch (mark.is) {
    case 'missing':
      return `${shown(mark.label)} missing`
    case 'faulty':
      return `${shown(mark.label)} ${FAULTS[mark.fault]}`
    case 'not_asked':
      return `${shown(mark.label)} not asked`
    case 'without_answers':
      return 'sent with an older program'
    case 'wrong_kind':
      return `not a ${mark.fileKinds.join(' or ')}`
  }
}

const FAULTS: Readonly<Record<Exclude<AnswerFault, 'missing'>, string>> = {
  too_long: 'too long',
  not_a_choice: 'none of the choices',
  not_a_date: 'no day',
  not_a_number: 'no number',
}

/** For programs. */
export function markFacts(marks: readonly Mark[] | undefined): readonly object[] | undefined {
  return marks?.map((mark) => {
    const { is, ...of } = mark
    return 'fileKinds' in of ? { mark: is, file_kinds: of.fileKinds } : { mark: is, ...of }
  })
}
