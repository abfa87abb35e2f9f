/** Brings back what was discarded or deleted: the button in a message, and those of the bin. */
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { guardClosing } from '../../common/closeGuard.ts'
import { useText } from '../../common/reader.ts'
import { type OwnerPages, useOwnerPages } from '../context.ts'
import { errorTexts } from '../errorText.ts'
import { binTexts } from './texts.ts'

const AT_ONCE = 3

type Action = NonNullable<Parameters<OwnerPages['showMessage']>[0]['action']>

export interface Undo {
  /** By the ids of drops and assets. Tells how it went; what could not be restored stays in the bin. */
  restore(ids: readonly string[]): Promise<void>
  /** The button of a message about them. */
  actionFor(ids: readonly string[]): Action
}

export function useUndo(): Undo {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(binTexts)
  const errorText = useText(errorTexts)

  async function restore(ids: readonly string[]): Promise<void> {
    const release = guardClosing()
    const failures: unknown[] = []
    await mapConcurrently(ids, AT_ONCE, (id) => owner.restore(id).catch((error: unknown) => failures.push(error)))
    release()
    const count = ids.length - failures.length
    if (count > 0) showMessage({ tone: 'good', text: text.restored(count) })
    if (failures.length > 0)
      showMessage({
        tone: 'bad',
        text: text.notRestored(failures.length, errorText(failures[0])),
        link: { href: '#/bin', text: text.title },
      })
  }

  return { restore, actionFor: (ids) => ({ text: text.undo, run: () => void restore(ids) }) }
}
