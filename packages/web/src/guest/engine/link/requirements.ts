/**
 * What the owner of the link asks for: answers, and kinds of files. The page asks for both before the guest sends. Here
 * are the files that were sent before the link was open, and what a look into a file shows.
 */
import type { UploadLink } from '@blindkeep/client/guest'
import { answerFault, answerTo, FILE_KIND_BYTES, fileKindFault } from '@blindkeep/client/questions'
import type { Source } from '@blindkeep/client/source'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { FailureReason, Message } from '../../ground/messages.ts'
import type { Entries, Entry } from '../entries/entries.ts'
import { become } from '../entries/phases.ts'

/** The guest sees at once what is wrong with a few files. Others are looked at one by one before each is sealed. */
const MAX_LOOKS = 100
const MAX_LOOKING = 4

type Asking = Pick<UploadLink, 'questions' | 'fileKinds'>

export interface Requirements {
  /** Looks into the chosen files whose names are of a kind that the owner wants. */
  look(): Promise<void>
  /** Why the owner wants no such file, as far as it is known. */
  misfitOf(entry: Entry): FailureReason | undefined
  /** Reads the beginning of the file. */
  hasWrongContent(name: string, source: Source): Promise<boolean>
  /** What was sent without the answers, or is of another kind, and is not sealed yet, waits for the guest again. */
  holdBack(): void
}

/** `link`: as it was opened last. */
export function createRequirements(entries: Entries, link: () => Asking | undefined): Requirements {
  const fileKinds = () => link()?.fileKinds

  async function hasWrongContent(name: string, source: Source): Promise<boolean> {
    if (fileKinds() === undefined) return false
    const firstBytes = await source.read(0, Math.min(source.size, FILE_KIND_BYTES))
    return fileKindFault(fileKinds(), name, firstBytes) === 'content'
  }

  async function lookInto({ id, name, source }: Entry): Promise<void> {
    // What cannot be read is said when it is sealed.
    const looksWrong = source !== undefined && (await hasWrongContent(name, source).catch(() => false))
    entries.change(id, { looksWrong })
  }

  function misfitOf({ name, looksWrong }: Entry): FailureReason | undefined {
    if (fileKindFault(fileKinds(), name, undefined) !== undefined) return 'wrong_kind'
    return looksWrong === true && fileKinds() !== undefined ? 'wrong_content' : undefined
  }

  return {
    async look() {
      if (fileKinds() === undefined) return
      const unseen = [...entries.all()].filter((one) => one.phase === 'chosen' && one.looksWrong === undefined)
      const wanted = unseen.filter(({ name }) => fileKindFault(fileKinds(), name, undefined) === undefined)
      await mapConcurrently(wanted.slice(0, MAX_LOOKS), MAX_LOOKING, lookInto)
    },
    misfitOf,
    hasWrongContent,
    holdBack() {
      const { questions, fileKinds: kinds } = link() ?? {}
      if (questions === undefined && kinds === undefined) return
      // Files of one go share their message.
      const lacking = new Map<Message, boolean>()
      const lacksAnswers = (message: Message) => {
        const known = lacking.get(message) ?? !isAnswered(message, questions)
        lacking.set(message, known)
        return known
      }
      for (const entry of [...entries.all()]) {
        const isUnsealed = (entry.phase === 'waiting' || entry.phase === 'paused') && entry.state === undefined
        if (!isUnsealed) continue
        const misfit = misfitOf(entry)
        if (misfit !== undefined || lacksAnswers(entry.message)) entries.change(entry.id, become.heldBack(misfit))
      }
    },
  }
}

function isAnswered({ answers }: Message, questions: Asking['questions'] = []): boolean {
  return questions.every((question) => answerFault(question, answerTo(answers, question.label) ?? '') === undefined)
}
