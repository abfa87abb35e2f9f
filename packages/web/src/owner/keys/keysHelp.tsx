import { useState } from 'preact/hooks'
import { Check, Dialog, IconButton } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { workTexts } from '../ground/texts.ts'
import { turnKeys, useKeys, useKeysOn } from './listKeys.ts'
import './keys.css'

interface KeysHelpProps {
  /** Where the list is. */
  readonly of: 'inbox' | 'album'
}

/** Opens the list of keys, and turns them off and on. */
export function KeysHelp({ of }: KeysHelpProps) {
  const text = useText(workTexts).keys
  const [isOpen, setOpen] = useState(false)
  const keys = useKeys()
  return (
    <>
      <IconButton icon="keyboard" label={text.title} keys={keys('?')} onClick={() => setOpen(true)} />
      {isOpen && <KeysDialog of={of} onClose={() => setOpen(false)} />}
    </>
  )
}

function KeysDialog({ of, onClose }: KeysHelpProps & { readonly onClose: () => void }) {
  const text = useText(workTexts).keys
  const isOn = useKeysOn()
  return (
    <Dialog title={text.title} closeLabel={text.close} onClose={onClose}>
      <p class="soft">{text.about}</p>
      <dl class="keys">
        {text[of].map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Check checked={isOn} onChange={turnKeys}>
        {text.on}
      </Check>
    </Dialog>
  )
}
