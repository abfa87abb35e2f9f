import { Name } from '../common/controls.tsx'
import { Fact } from '../common/fact.tsx'
import { useText } from '../common/reader.ts'
import type { Message, Snapshot } from './messages.ts'
import { guestTexts } from './texts.ts'

/** A guest rarely changes the message between two goes. */
const MAX_MESSAGES = 5

/** What has been sent with the files of this visit, or is being sent. */
export function SentWith({ snapshot: { messages, rows, hiddenRows } }: { readonly snapshot: Snapshot }) {
  const text = useText(guestTexts).sentWith
  return (
    <>
      {messages.slice(0, MAX_MESSAGES).map(({ message, files }, index) => (
        <section key={index} class="sent-with stack tight">
          <h3>{files === rows.length + hiddenRows ? text.all(files) : text.some(files)}</h3>
          <SentFacts message={message} />
        </section>
      ))}
      {messages.length > MAX_MESSAGES && <p class="soft small">{text.more}</p>}
    </>
  )
}

/** The guest's own words: the name, the message, and the answers. */
export function SentFacts({ message: { note, sender, answers = [] } }: { readonly message: Message }) {
  const text = useText(guestTexts).message
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
          <Name>{value}</Name>
        </Fact>
      ))}
    </dl>
  )
}
