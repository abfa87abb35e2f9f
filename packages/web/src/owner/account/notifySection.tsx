import type { AddedChannel } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { isLocalPage } from '../../common/address/localPage.ts'
import { Button, Notice } from '../../common/controls/controls.tsx'
import { CopyButton } from '../../common/controls/copyButton.tsx'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import { endPush, presentPush } from '../push/browserPush.ts'
import { AddChannelForm } from './addChannelForm.tsx'
import { ChannelRow } from './channelRow.tsx'
import { Section } from './section.tsx'
import { ThisBrowser } from './thisBrowser.tsx'

/** Where the owner hears that files have arrived while no page is open. */
export function NotifySection() {
  const { owner, baseUrl, showMessage, unsaved, onUnsaved } = useOwnerPages()
  const text = useText(accountTexts).notify
  const loaded = useLoaded(async () => {
    const [own, present] = await Promise.all([owner.channels(), presentPush({ owner, baseUrl })])
    const isListed = own.channels.some(({ channelId }) => channelId === present?.channelId)
    // Another browser has removed this one: nothing is sent here any more.
    if (present !== undefined && !isListed) await endPush({ baseUrl })
    return { ...own, present: isListed ? present : undefined }
  })
  const [isAdding, setAdding] = useState(false)
  const { offered = [], channels = [], pushKey, present } = loaded.value ?? {}
  const addable = offered.filter((kind) => kind !== 'push')
  const finish = ({ channel, secret: shownOnce }: AddedChannel) => {
    setAdding(false)
    if (shownOnce !== undefined) onUnsaved({ webhookSecret: shownOnce })
    showMessage({ tone: 'good', text: channel.state === 'unconfirmed' ? text.codeSent : text.added })
    loaded.reload()
  }
  return (
    <Section title={text.title} explain={text.explain} loaded={loaded}>
      {channels.length > 0 && (
        <ul class="account-list">
          {channels.map((channel) => (
            <ChannelRow
              key={channel.channelId}
              channel={channel}
              isHere={channel.channelId === present?.channelId}
              reload={loaded.reload}
            />
          ))}
        </ul>
      )}
      {unsaved.webhookSecret !== undefined && (
        <WebhookSecret secret={unsaved.webhookSecret} onClose={() => onUnsaved({ webhookSecret: undefined })} />
      )}
      {pushKey !== undefined && !isLocalPage && (
        <ThisBrowser pushKey={pushKey} present={present} reload={loaded.reload} />
      )}
      {isAdding ? (
        <AddChannelForm offered={addable} onAdded={finish} onClose={() => setAdding(false)} />
      ) : (
        // A second webhook would take the place of the secret that is not saved yet.
        addable.length > 0 &&
        unsaved.webhookSecret === undefined && (
          <div>
            <Button icon="add" onClick={() => setAdding(true)}>
              {text.open}
            </Button>
          </div>
        )
      )}
      {loaded.value !== undefined && pushKey === undefined && (
        <p class="soft small">{offered.length === 0 ? text.notOffered : text.push.notOffered}</p>
      )}
    </Section>
  )
}

/** The server gives it only once: it stays until the owner says that it is saved. */
function WebhookSecret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const text = useText(accountTexts)
  const { copy, copied, copyFailed } = text.secret
  return (
    <Notice tone="warn">
      <p>{text.notify.secretExplain}</p>
      <p class="mono channel-secret" translate={false}>
        {secret}
      </p>
      <div class="row">
        <CopyButton text={secret} label={copy} copiedLabel={copied} failedLabel={copyFailed} />
        <Button kind="quiet" onClick={onClose}>
          {text.notify.secretDone}
        </Button>
      </div>
    </Notice>
  )
}
