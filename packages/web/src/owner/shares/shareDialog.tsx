import type { CreatedShare } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { useId, useState } from 'preact/hooks'
import { Button, Dialog } from '../../common/controls.tsx'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { type Action, useAction } from '../useAction.ts'
import { CreatedShareView } from './createdShare.tsx'
import { EXPIRIES, type Expiry, expiryInstant } from './expiry.ts'
import './shares.css'
import { sharesText } from './texts.ts'

interface ShareDialogProps {
  readonly assetIds: readonly AssetId[]
  readonly onClose: () => void
}

interface ShareWithExpiry extends CreatedShare {
  readonly expiresAt: string | undefined
}

/** Asks how long the share lasts, then shows its address once. */
export function ShareDialog({ assetIds, onClose }: ShareDialogProps) {
  const { language } = useOwnerPages()
  const text = sharesText(language)
  const [created, setCreated] = useState<ShareWithExpiry>()
  const creating = useAction()
  // Closing now would leave a share whose address was never shown.
  const close = () => creating.isBusy || onClose()
  if (created !== undefined)
    return <CreatedShareView url={created.url} expiresAt={created.expiresAt} onClose={onClose} />
  return (
    <Dialog title={text.create.title(assetIds.length)} closeLabel={text.close} onClose={close}>
      <CreateShare assetIds={assetIds} action={creating} onCreated={setCreated} onCancel={close} />
    </Dialog>
  )
}

interface CreateShareProps {
  readonly assetIds: readonly AssetId[]
  readonly action: Action
  readonly onCreated: (share: ShareWithExpiry) => void
  readonly onCancel: () => void
}

function CreateShare({ assetIds, action, onCreated, onCancel }: CreateShareProps) {
  const { owner, language } = useOwnerPages()
  const text = sharesText(language)
  const [expiry, setExpiry] = useState<Expiry>('week')
  const { isBusy, error } = action
  const id = useId()

  const create = () =>
    action.run(async () => {
      const expiresAt = expiryInstant(expiry, Date.now())
      onCreated({ ...(await owner.createShare(assetIds, { expiresAt })), expiresAt })
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
          {EXPIRIES.map((expiryOption) => (
            <label key={expiryOption} class="choice">
              <input
                type="radio"
                name="expiry"
                value={expiryOption}
                checked={expiry === expiryOption}
                onChange={() => setExpiry(expiryOption)}
              />
              <span>{text.create.presets[expiryOption]}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <p id={id} class="small soft">
        {text.create.privacyNote}
      </p>
      {error !== undefined && <ErrorNotice error={error} language={language} />}
      <div class="row">
        <Button kind="primary" icon="share" submits busy={isBusy}>
          {isBusy ? text.create.making : text.create.submit}
        </Button>
        <Button kind="quiet" disabled={isBusy} onClick={onCancel}>
          {text.cancel}
        </Button>
      </div>
    </form>
  )
}
