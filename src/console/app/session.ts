/** The key of this tab, and the client that has it. */
import { computed, signal } from '@preact/signals'
import { createForkrouteClient } from '../../client/client.js'
import { ForkrouteApiError } from '../../client/errors.js'

const stored = 'forkroute.key'

/** For as long as the tab is open: a browser that is closed has forgotten it. */
export const key = signal<string | null>(sessionStorage.getItem(stored))
/** Why a key is asked for; null: none is needed, or there is one. */
export const keyProblem = signal<string | null>(null)

const url = location.href.replace(/\/console(\/|#|\?|$).*$/, '')

export const client = computed(() =>
  createForkrouteClient({ url, ...(key.value && { key: key.value }) }),
)

/** Base of the service's addresses, for what is shown to copy. */
export const serviceUrl = url

export function setKey(value: string | null): void {
  const given = value?.trim() || null
  if (given) sessionStorage.setItem(stored, given)
  else sessionStorage.removeItem(stored)
  keyProblem.value = null
  key.value = given
}

/** Takes the key out of a link `/console#key=…`, and out of the address bar and its history with it. */
export function takeKey(): void {
  const given = /^#key=([\x21-\x7e]{1,256})$/.exec(location.hash)?.[1]
  if (!given) return
  history.replaceState(null, '', `${location.pathname}#/route`)
  setKey(decodeURIComponent(given))
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Shows the form for a key where the service wants one. */
export function noteRefusal(error: unknown): void {
  if (error instanceof ForkrouteApiError && ['UNAUTHORIZED', 'KEY_DISABLED'].includes(error.code)) {
    keyProblem.value = error.messages.join(' ')
  }
}
