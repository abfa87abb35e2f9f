import type { CreatedShare } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { useId, useState } from 'preact/hooks'
import { Button, Dialog } from '../../common/controls.tsx'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { EXPIRIES, type Expiry, expiryInstant } from './expiry.ts'
import { MadeShare } from './madeShare.tsx'
import './shares.css'
import { sharesText } from './texts.ts'

interface ShareDialogProps {
  readonly assetIds: readonly AssetId[]
  readonly onClose: () => void
}

interface Made extends CreatedShare {
  readonly expiresAt: string | undefined
}

/** First how long, then the address, which is there this once. */
export function ShareDialog({ assetIds, onClose }: ShareDialogProps) {
  const { language } = useOwnerPages()
  const text = sharesText(language)
  const [made, setMade] = useState<Made>()
  const [isMaking, setMaking] = useState(false)
  // Closed now, it would leave a share behind whose address nobody has seen.
  const close = () => isMaking || onClose()
  if (made !== undefined) return <MadeShare url={made.url} expiresAt={made.expiresAt} onClose={onClose} />
  return (
    <Dialog title={text.create.title(assetIds.length)} closeLabel={text.close} onClose={close}>
      <CreateShare assetIds={assetIds} isMaking={isMaking} onMaking={setMaking} onMade={setMade} onCancel={close} />
    </Dialog>
  )
}

interface CreateShareProps {
  readonly assetIds: readonly AssetId[]
  readonly isMaking: boolean
  readonly onMaking: (isMaking: boolean) => void
  readonly onMade: (made: Made) => void
  readonly onCancel: () => void
}

function CreateShare({ assetIds, isMaking, onMaking, onMade, onCancel }: CreateShareProps) {
  const { owner, language } = useOwnerPages()
  const text = sharesText(language)
  const [expiry, setExpiry] = useState<Expiry>('week')
  const [error, setError] = useState<unknown>()
  const id = useId()

  async function create(): Promise<void> {
    onMaking(true)
    setError(undefined)
    try {
      const expiresAt = expiryInstant(expiry, Date.now())
      onMade({ ...(await owner.createShare(assetIds, { expiresAt })), expiresAt })
    } catch (reason) {
      setError(reason)
      onMaking(false)
    }
  }

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <p>{text.create.explain}</p>
      <fieldset class="stack tight" aria-describedby={id}>
        <legend class="share-legend">{text.create.expiry}</legend>
        <div class="choices">
          {EXPIRIES.map((one) => (
            <label key={one} class="choice">
              <input type="radio" name="expiry" value={one} checked={expiry === one} onChange={() => setExpiry(one)} />
              <span>{text.create.presets[one]}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <p id={id} class="small soft">
        {text.create.drops}
      </p>
      {error !== undefined && <ErrorNotice error={error} language={language} />}
      <div class="row">
        <Button kind="primary" icon="share" submits busy={isMaking}>
          {isMaking ? text.create.making : text.create.submit}
        </Button>
        <Button kind="quiet" disabled={isMaking} onClick={onCancel}>
          {text.cancel}
        </Button>
      </div>
    </form>
  )
}
