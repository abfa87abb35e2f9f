import {
  AddChannelRequest,
  AddChannelResponse,
  ChannelResponse,
  ChannelsResponse,
  ChannelTestResponse,
  ConfirmChannelRequest,
} from '../schemas/channels.ts'
import type { Operations } from './operation.ts'

export const channelOperations = {
  addChannel: {
    method: 'POST',
    path: '/v1/channels',
    tag: 'channels',
    auth: 'bearer',
    summary: 'Add a channel',
    description:
      'From now on the server sends a message there when files have landed: how many, and when. It has no names and no ids. Drops that land close together are in one message, and there is at most one a minute. A webhook gets {type: "drops.landed", timestamp, data: {server, count, first_at, last_at}} with the headers of Standard Webhooks; a repeat has the same webhook-id. An e-mail address first gets one message with a code (confirmChannel). A browser gets {about: "landings", id, count, last_at, server}, encrypted for its subscription (RFC 8291), so the push service cannot read it.',
    body: { type: 'application/json', schema: AddChannelRequest },
    writes: true,
    leaves: 'rows',
    answers: { 201: { description: 'The channel is added.', body: AddChannelResponse } },
    problems: [
      'error.channel.invalid',
      'error.channel.not_offered',
      'error.channel.rate_limited',
      'error.request.limit_reached',
    ],
  },
  listChannels: {
    method: 'GET',
    path: '/v1/channels',
    tag: 'channels',
    auth: 'bearer',
    summary: 'List the caller’s channels',
    description: 'Oldest first, with what may be added. Addresses, tokens and secrets are not included.',
    answers: { 200: { description: 'The channels.', body: ChannelsResponse } },
    problems: [],
  },
  confirmChannel: {
    method: 'POST',
    path: '/v1/channels/{channel_id}/confirm',
    tag: 'channels',
    auth: 'bearer',
    summary: 'Confirm an e-mail address with its code',
    description: 'Until then the address gets no messages. A channel that is confirmed already gets the same answer.',
    body: { type: 'application/json', schema: ConfirmChannelRequest },
    writes: true,
    answers: { 200: { description: 'The channel is active.', body: ChannelResponse } },
    problems: ['error.channel.not_found', 'error.channel.code_wrong', 'error.channel.rate_limited'],
  },
  testChannel: {
    method: 'POST',
    path: '/v1/channels/{channel_id}/test',
    tag: 'channels',
    auth: 'bearer',
    summary: 'Send a test message',
    description:
      'Answers when the receiver has answered, after 20 seconds at most. An unconfirmed e-mail address gets nothing: to get another code, remove the channel and add it again. A test that arrives makes a channel active again that was given up.',
    writes: true,
    answers: { 200: { description: 'What became of the message.', body: ChannelTestResponse } },
    problems: ['error.channel.not_found', 'error.channel.rate_limited'],
  },
  removeChannel: {
    method: 'DELETE',
    path: '/v1/channels/{channel_id}',
    tag: 'channels',
    auth: 'bearer',
    summary: 'Remove one of the caller’s channels',
    description:
      'Nothing more is sent there, except a message that is under way. The answer is the same if there is no such channel.',
    answers: { 204: { description: 'The caller has no such channel now.' } },
    problems: [],
  },
} as const satisfies Operations
