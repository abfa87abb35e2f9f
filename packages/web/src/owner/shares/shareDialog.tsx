import type { CreatedShare } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { useId, useState } from 'preact/hooks'
import { Button, Dialog } from '../../common/controls.tsx'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { type Action, useAction } from '../useAction.ts'
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
  const making = useAction()
  // Closed now, it would leave a share behind whose address nobody has seen.
  const close = () => making.isBusy || onClose()
  if (made !== undefined) return <MadeShare url={made.url} expiresAt={made.expiresAt} onClose={onClose} />
  return (
    <Dialog title={text.create.title(assetIds.length)} closeLabel={text.close} onClose={close}>
      <CreateShare assetIds={assetIds} making={making} onMade={setMade} onCancel={close} />
    </Dialog>
  )
}

interface CreateShareProps {
  readonly assetIds: readonly AssetId[]
  readonly making: Action
  readonly onMade: (made: Made) => void
  readonly onCancel: () => void
}

function CreateShare({ assetIds, making, onMade, onCancel }: CreateShareProps) {
  const { owner, language } = useOwnerPages()
  const text = sharesText(language)
  const [expiry, setExpiry] = useState<Expiry>('week')
  const { isBusy: isMaking, error } = making
  const id = useId()

  const create = () =>
    making.run(async () => {
      const expiresAt = expiryInstant(expiry, Date.now())
      onMade({ ...(await owner.createShare(assetIds, { expiresAt })), expiresAt })
    })

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
