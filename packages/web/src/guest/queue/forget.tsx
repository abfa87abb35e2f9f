import { useState } from 'preact/hooks'
import { Button } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import type { Snapshot } from '../ground/messages.ts'
import { useTell } from '../ground/tell.ts'
import { guestTexts } from '../ground/texts.ts'
import { Confirm } from './confirm.tsx'

/** Removes from this browser what says which files have arrived, after a question. */
export function Forget({ snapshot: { counts, provable, storage } }: { readonly snapshot: Snapshot }) {
  const text = useText(guestTexts)
  const tell = useTell()
  const [isAsking, setIsAsking] = useState(false)
  // What stores nothing has forgotten by itself when it is loaded again: a local page, or some private windows.
  if (counts.landed === 0 || storage !== 'kept') return null
  const { title, yes, no } = text.forget
  return (
    <>
      <div class="row apart forget">
        <p class="soft small grow">{text.forget.hint}</p>
        <Button kind="quiet" onClick={() => setIsAsking(true)}>
          {text.forget.open}
        </Button>
      </div>
      {isAsking && (
        <Confirm {...{ title, yes, no }} onYes={() => tell({ do: 'forgetLanded' })} onClose={() => setIsAsking(false)}>
          <p>{text.forget.lost(counts.landed)}</p>
          {provable > 0 && <p>{text.forget.keys}</p>}
          <p>{text.forget.kept}</p>
        </Confirm>
      )}
    </>
  )
}
