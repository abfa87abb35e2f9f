import type { OwnPasskey } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Dialog, Name, Notice } from '../../common/controls.tsx'
import { formats } from '../../common/format.ts'
import { useText } from '../../common/reader.ts'
import { useLoaded } from '../../common/useLoaded.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { NameDialog } from '../nameDialog.tsx'
import { accountTexts } from '../texts.ts'
import { useAction } from '../useAction.ts'
import { AddPasskey } from './addPasskey.tsx'
import { forgetPasskey, passkeyObstacle } from './authenticator.ts'
import { Section } from './section.tsx'

interface PasskeysSectionProps {
  /** Sign-ins may have ended. */
  readonly onEnded: () => void
}

export function PasskeysSection({ onEnded }: PasskeysSectionProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(accountTexts).passkeys
  const loaded = useLoaded(() => owner.passkeys())
  const obstacle = useLoaded(async () => ({ found: await passkeyObstacle() }))
  const [isAdding, setAdding] = useState(false)
  const [renamed, setRenamed] = useState<OwnPasskey>()
  const [asked, setAsked] = useState<OwnPasskey>()
  const found = obstacle.value?.found
  return (
    <Section title={text.title}>
      <p class="soft">{text.explain}</p>
      {loaded.error !== undefined && <ErrorNotice error={loaded.error} onRetry={loaded.reload} />}
      <ul class="account-list">
        {loaded.value?.map((passkey) => (
          <PasskeyRow
            key={passkey.passkeyId}
            passkey={passkey}
            onRename={() => setRenamed(passkey)}
            onRemove={() => setAsked(passkey)}
          />
        ))}
      </ul>
      {loaded.value?.length === 0 && <p class="soft small">{text.none}</p>}
      {found !== undefined && <Notice tone="info">{text.obstacles[found]}</Notice>}
      {obstacle.value !== undefined &&
        found === undefined &&
        (isAdding ? (
          <AddPasskey
            onAdded={() => {
              setAdding(false)
              showMessage({ tone: 'good', text: text.added })
              loaded.reload()
            }}
            onCancel={() => setAdding(false)}
          />
        ) : (
          <div>
            <Button icon="key" onClick={() => setAdding(true)}>
              {text.open}
            </Button>
          </div>
        ))}
      {renamed !== undefined && (
        <NameDialog
          title={text.rename}
          name={renamed.name}
          save={(name) => owner.namePasskey(renamed.passkeyId, name)}
          onClose={() => setRenamed(undefined)}
          onSaved={loaded.reload}
        />
      )}
      {asked !== undefined && (
        <RemoveDialog
          passkey={asked}
          onClose={() => setAsked(undefined)}
          onRemoved={() => {
            setAsked(undefined)
            showMessage({ tone: 'good', text: text.removed })
            loaded.reload()
            onEnded()
          }}
        />
      )}
    </Section>
  )
}

interface PasskeyRowProps {
  readonly passkey: OwnPasskey
  readonly onRename: () => void
  readonly onRemove: () => void
}

function PasskeyRow({ passkey, onRename, onRemove }: PasskeyRowProps) {
  const { owner } = useOwnerPages()
  const { passkeys: text, rename } = useText(accountTexts)
  const format = useText(formats)
  const { name, nameFault, createdAt, lastUsedAt } = passkey
  const added = text.addedOn(format.instant(createdAt))
  return (
    <li class="row apart">
      <div class="grow stack tight">
        <span>{name === undefined ? text.unnamed : <Name>{name}</Name>}</span>
        {nameFault !== undefined && <span class="badge bad">{rename.fault}</span>}
        <span class="soft small">
          {added} · {lastUsedAt === undefined ? text.neverUsed : text.lastUsed(format.age(lastUsedAt, owner.now()))}
        </span>
      </div>
      <div class="row">
        <Button kind="quiet" onClick={onRename}>
          {rename.button}
          <span class="visually-hidden">: {name ?? added}</span>
        </Button>
        <Button kind="quiet" onClick={onRemove}>
          {text.remove}
          <span class="visually-hidden">: {name ?? added}</span>
        </Button>
      </div>
    </li>
  )
}

interface RemoveDialogProps {
  readonly passkey: OwnPasskey
  readonly onClose: () => void
  readonly onRemoved: () => void
}

function RemoveDialog({ passkey, onClose, onRemoved }: RemoveDialogProps) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts)
  const { isBusy, error, run } = useAction()
  const remove = async () => {
    const wasDone = await run(async () => {
      await owner.removePasskey(passkey.passkeyId)
      await forgetPasskey(passkey.credentialId)
    })
    if (wasDone) onRemoved()
  }
  return (
    <Dialog title={text.passkeys.ask.title} closeLabel={text.page.close} onClose={onClose}>
      {passkey.name !== undefined && (
        <p>
          <Name>{passkey.name}</Name>
        </p>
      )}
      <ul class="consequences stack tight">
        {text.passkeys.ask.items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
      {error !== undefined && <ErrorNotice error={error} />}
      <div class="row">
        <Button kind="danger" busy={isBusy} onClick={() => void remove()}>
          {text.passkeys.remove}
        </Button>
        <Button kind="quiet" disabled={isBusy} onClick={onClose}>
          {text.page.cancel}
        </Button>
      </div>
    </Dialog>
  )
}
