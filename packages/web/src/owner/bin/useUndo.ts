/** Brings back what was discarded or deleted: the button in a message, and those of the bin. */
import type { BinId } from '@blindkeep/protocol/ids'
import { useText } from '../../common/language/reader.ts'
import type { OwnerPages } from '../ground/ownerPages.ts'
import { binTexts } from '../ground/texts.ts'
import type { OwnWork } from '../work/work.ts'

type Action = NonNullable<Parameters<OwnerPages['showMessage']>[0]['action']>

/** The button of a message about these drops and assets. */
export type UndoOf = (ids: readonly BinId[]) => Action

export function useUndo({ begin }: Pick<OwnWork, 'begin'>): UndoOf {
  const { undo: text } = useText(binTexts)
  return (ids) => ({
    text,
    run: () => begin({ kind: 'restore', items: ids.map((id) => ({ do: 'restore', id })) }),
  })
}
