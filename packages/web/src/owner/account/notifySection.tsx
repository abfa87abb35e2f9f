import type { AddedChannel } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls.tsx'
import { CopyButton } from '../../common/copyButton.tsx'
import { useLoaded } from '../../common/useLoaded.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { accountText } from '../texts.ts'
import { AddChannelForm } from './addChannelForm.tsx'
import { ChannelRow } from './channelRow.tsx'
import { Section } from './section.tsx'

/** Where the owner hears that files have arrived while no page is open. */
export function NotifySection() {
  const { owner, language, showMessage } = useOwnerPages()
  const text = accountText(language).notify
  const loaded = useLoaded(() => owner.channels())
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string>()
  const { offered = [], channels = [] } = loaded.value ?? {}
  const finish = ({ channel, secret: shownOnce }: AddedChannel) => {
    setAdding(false)
    setSecret(shownOnce)
    showMessage({ tone: 'good', text: channel.state === 'unconfirmed' ? text.codeSent : text.added })
    loaded.reload()
  }
  return (
    <Section title={text.title}>
      <p class="soft">{text.explain}</p>
      {loaded.error !== undefined && <ErrorNotice error={loaded.error} language={language} onRetry={loaded.reload} />}
      {channels.length > 0 && (
        <ul class="account-list">
          {channels.map((channel) => (
            <ChannelRow key={channel.channelId} channel={channel} reload={loaded.reload} />
          ))}
        </ul>
      )}
      {secret !== undefined && <WebhookSecret secret={secret} onClose={() => setSecret(undefined)} />}
      {isAdding ? (
        <AddChannelForm offered={offered} onAdded={finish} onClose={() => setAdding(false)} />
      ) : (
        offered.length > 0 && (
          <div>
            <Button icon="add" onClick={() => setAdding(true)}>
              {text.open}
            </Button>
          </div>
        )
      )}
      {loaded.value !== undefined && offered.length === 0 && <p class="soft small">{text.notOffered}</p>}
    </Section>
  )
}

/** The server shows it only now. */
function WebhookSecret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const { language } = useOwnerPages()
  const text = accountText(language)
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
