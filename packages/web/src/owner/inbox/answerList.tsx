/** What a guest has answered: columns in the list of the inbox, and a line each in the view of one file. */
import type { FileDescription } from '@blindkeep/client/owner'
import type { Asked } from '@blindkeep/client/questions'
import { Name } from '../../common/controls/controls.tsx'
import { Fact } from '../../common/controls/fact.tsx'
import { useText } from '../../common/language/reader.ts'
import { inboxTexts } from '../ground/texts.ts'
import { type Answered, type ShownAnswers, shownAnswersOf } from './answers.ts'

interface AnswersProps {
  readonly file: FileDescription | undefined
  readonly asked: Asked | undefined
  /** Files of one go have the same answers, which their card shows once; the kind of each is its own. */
  readonly part?: 'answers' | 'kind' | undefined
}

export function AnswerColumns({ file, asked, part }: AnswersProps) {
  const { answers, marks } = partOf(shownAnswersOf(file, asked), part)
  if (answers.length === 0 && marks.length === 0) return null
  return (
    <>
      {answers.length > 0 && (
        <dl class="answers small">
          {answers.map((answered, at) => (
            // A guest can repeat a label.
            <Fact key={`${at} ${answered.label}`} term={<Name>{answered.label}</Name>} termClass="soft">
              <Answer answered={answered} />
            </Fact>
          ))}
        </dl>
      )}
      <FileMarks marks={marks} />
    </>
  )
}

/** Facts in a list of them (`dl`). */
export function AnswerFacts({ file, asked }: AnswersProps) {
  return shownAnswersOf(file, asked).answers.map((answered, at) => (
    <Fact key={`${at} ${answered.label}`} term={<Name>{answered.label}</Name>}>
      <Answer answered={answered} />
    </Fact>
  ))
}

/** What is marked about the file as a whole. */
export function FileMarks({ marks }: Pick<ShownAnswers, 'marks'>) {
  const text = useText(inboxTexts).answers
  return marks.map((mark) => (
    <p key={mark.is} class="answer-mark">
      <span class="badge warn">{mark.is === 'wrong_kind' ? text.wrongKind(mark.fileKinds) : text.withoutAnswers}</span>
    </p>
  ))
}

function Answer({ answered: { value, mark } }: { readonly answered: Answered }) {
  const text = useText(inboxTexts).answers
  return (
    <>
      {value !== undefined && (
        <span class="said">
          <Name>{value}</Name>
        </span>
      )}
      {value === undefined && mark === undefined && <span class="soft">{text.none}</span>}
      {mark !== undefined && (
        <>
          {' '}
          <span class="badge warn">{mark.is === 'faulty' ? text.faults[mark.fault] : text.marks[mark.is]}</span>
        </>
      )}
    </>
  )
}

function partOf({ answers, marks }: ShownAnswers, part: AnswersProps['part']): ShownAnswers {
  if (part === undefined) return { answers, marks }
  const isOfKind = ({ is }: ShownAnswers['marks'][number]) => is === 'wrong_kind'
  return part === 'kind'
    ? { answers: [], marks: marks.filter(isOfKind) }
    : { answers, marks: marks.filter((mark) => !isOfKind(mark)) }
}
