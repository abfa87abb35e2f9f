import type { OwnPasskey } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Name, Notice } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { ConfirmDialog } from '../dialogs/confirmDialog.tsx'
import { forgetPasskey, passkeyObstacle } from '../ground/authenticator.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import { AddPasskey } from './addPasskey.tsx'
import { type NamedEntry, NamedList } from './namedList.tsx'
import { Section } from './section.tsx'

interface PasskeysSectionProps {
  /** A second factor is on. */
  readonly asksCode: boolean
  /** Sign-ins may have ended. */
  readonly onEnded: () => void
}

export function PasskeysSection({ asksCode, onEnded }: PasskeysSectionProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(accountTexts).passkeys
  const format = useText(formats)
  const loaded = useLoaded(() => owner.passkeys())
  const obstacle = useLoaded(async () => ({ found: await passkeyObstacle() }))
  const [isAdding, setAdding] = useState(false)
  const [asked, setAsked] = useState<OwnPasskey>()
  const found = obstacle.value?.found
  const entryOf = (passkey: OwnPasskey): NamedEntry => {
    const { passkeyId, name, nameFault, createdAt, lastUsedAt } = passkey
    const added = text.addedOn(format.instant(createdAt))
    const used = lastUsedAt === undefined ? text.neverUsed : text.lastUsed(format.age(lastUsedAt, owner.now()))
    return {
      ...{ id: passkeyId, name, nameFault, otherwise: added, nameless: text.unnamed, facts: `${added} · ${used}` },
      rename: { title: text.rename, save: (given) => owner.namePasskey(passkeyId, given) },
      action: text.remove,
      onAction: () => setAsked(passkey),
    }
  }
  return (
    <Section title={text.title} explain={text.explain} loaded={loaded}>
      <NamedList entries={(loaded.value ?? []).map(entryOf)} onSaved={loaded.reload} />
      {loaded.value?.length === 0 && <p class="soft small">{text.none}</p>}
      {found !== undefined && <Notice tone="info">{text.obstacles[found]}</Notice>}
      {obstacle.value !== undefined &&
        found === undefined &&
        (isAdding ? (
          <AddPasskey
            asksCode={asksCode}
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
      {asked !== undefined && (
        <ConfirmDialog
          title={text.ask.title}
          submit={text.remove}
          work={async () => {
            await owner.removePasskey(asked.passkeyId)
            await forgetPasskey(asked.credentialId)
          }}
          onDone={() => {
            setAsked(undefined)
            showMessage({ tone: 'good', text: text.removed })
            loaded.reload()
            onEnded()
          }}
          onClose={() => setAsked(undefined)}
        >
          {asked.name !== undefined && (
            <p>
              <Name>{asked.name}</Name>
            </p>
          )}
          <ul class="consequences stack tight">
            {text.ask.items.map((item) => (
              <li key={item}>{item}</li>
            ))}
          </ul>
        </ConfirmDialog>
      )}
    </Section>
  )
}
