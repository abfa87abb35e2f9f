import { countText } from '@blindkeep/protocol/counts'
import { minuteText } from '../../ground/minuteText.ts'
import type { AlarmNews, Message } from '../../ports/messenger.ts'
import type { Landings } from '../../ports/store.ts'

export interface MessageText {
  readonly title: string
  readonly body: string
}

/** What a person reads. `host` names the server; there is no address to click on, as an honest message needs none. */
export function textOf(message: Message, host: string): MessageText {
  switch (message.about) {
    case 'landings':
      return landingsText(message, host)
    case 'moved':
      return movedText(message)
    case 'alarms':
      return alarmsText(message)
    case 'test':
      return {
        title: 'Test',
        body: `This is a test from ${host}. Messages like this one will say that files have arrived.`,
      }
    case 'code':
      return {
        title: `Code ${message.code}`,
        body: `The code for this address is ${message.code}. Enter it under Account on ${host}, and messages here will say that files have arrived.\n\nIf you did not ask for this, ignore it: without the code, no message about files comes here.`,
      }
  }
}

function alarmsText({ begun, over }: AlarmNews): MessageText {
  const [first, ...more] = begun
  const others = more.length === 0 ? '' : `, and ${more.length} more`
  return {
    title:
      first === undefined
        ? `Over: ${over.map(({ name }) => name).join(', ')}`
        : `${first.what.replace(/\.$/, '')}${others}`,
    body: [
      ...begun.map(({ severity, what, todo }) => `${severity}: ${what}\n    ${todo}`),
      ...over.map(({ name }) => `Over: ${name}.`),
    ].join('\n\n'),
  }
}

function movedText({ from, to, at }: Extract<Message, { readonly about: 'moved' }>): MessageText {
  // As people write addresses, unless only the rest differs.
  const [before, after] = [new URL(from), new URL(to)]
  const shown = (url: URL) => (before.host === after.host ? url.origin : url.host)
  return {
    title: 'The server has another address',
    body: `The server ${shown(before)} has moved to ${shown(after)}, at ${minuteText(at)}. Type that address yourself, and sign in with your password. Passkeys and "stay signed in" may have ended. Messages like this one now come from there.`,
  }
}

function landingsText({ count, isNearlyFull, isRefused, lastAt }: Landings, host: string): MessageText {
  const arrived = `${countText(count, 'file has', 'files have')} arrived`
  const when = minuteText(lastAt)
  const titles = [
    count > 0 && arrived,
    isRefused && 'A guest could not send a file',
    isNearlyFull && 'Your inbox is nearly full',
  ]
  const sentences = [
    count > 0 && `${arrived} in your inbox on ${host}${count === 1 ? '' : ', the last one'} at ${when}.`,
    isRefused && `A guest could not send a file to your inbox on ${host}. Your links there say why, and what helps.`,
    isNearlyFull && `Your inbox on ${host} is nearly full: take files out before guests are refused.`,
  ]
  return { title: titles.find((title) => title !== false) ?? '', body: sentences.filter(Boolean).join(' ') }
}
