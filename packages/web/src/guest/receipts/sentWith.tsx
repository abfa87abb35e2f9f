import { Name } from '../../common/controls/controls.tsx'
import { Fact } from '../../common/controls/fact.tsx'
import { formats } from '../../common/language/format.ts'
import { readableAnswer } from '../../common/language/readableAnswer.ts'
import { useText } from '../../common/language/reader.ts'
import type { LinkStatus, Message, SentMessage, Snapshot } from '../ground/messages.ts'
import { guestTexts } from '../ground/texts.ts'

/** A guest rarely changes the message between two goes. */
const MAX_MESSAGES = 5

/** What has been sent with the files of this visit, or is being sent. */
export function SentWith({ snapshot: { messages, rows, hiddenRows, link } }: { readonly snapshot: Snapshot }) {
  const text = useText(guestTexts).sentWith
  const heading = (files: number) => (files === rows.length + hiddenRows ? text.all(files) : text.some(files))
  return <SentMessages messages={messages} heading={heading} link={link} />
}

interface SentMessagesProps {
  readonly messages: readonly SentMessage[]
  readonly heading: (files: number) => string
  readonly link: LinkStatus
}

export function SentMessages({ messages, heading, link }: SentMessagesProps) {
  const text = useText(guestTexts).sentWith
  return (
    <>
      {messages.slice(0, MAX_MESSAGES).map(({ message, files }, index) => (
        <section key={index} class="sent-with stack tight">
          <h3>{heading(files)}</h3>
          <SentFacts message={message} link={link} />
        </section>
      ))}
      {messages.length > MAX_MESSAGES && <p class="soft small">{text.more}</p>}
    </>
  )
}

interface SentFactsProps {
  readonly message: Message
  /** Knows which answers are days and numbers. Without it they are shown as they are sealed. */
  readonly link?: LinkStatus
}

/** The guest's own words: the name, the message, and the answers. */
export function SentFacts({ message: { note, sender, answers = [] }, link }: SentFactsProps) {
  const text = useText(guestTexts).message
  const format = useText(formats)
  const questions = link?.is === 'open' ? link.words.questions : undefined
  const kindOf = (label: string) => questions?.find((question) => question.label === label)?.kind
  const facts = [
    [text.sender, sender],
    [text.note, note],
  ] as const
  return (
    <dl class="receipt-facts sent-facts small">
      {facts.map(
        ([name, value]) =>
          value !== '' && (
            <Fact key={name} term={name} termClass="soft">
              <Name>{value}</Name>
            </Fact>
          ),
      )}
      {answers.map(([label, value]) => (
        <Fact key={label} term={<Name>{label}</Name>} termClass="soft">
          <Name>{readableAnswer(kindOf(label), value, format)}</Name>
        </Fact>
      ))}
    </dl>
  )
}
