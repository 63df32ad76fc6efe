/** A relay that has just started greets before it has found Hermes: asks again until it has, so that no page waits for what is there. */
import { createEffect, onCleanup } from 'solid-js'
import * as z from 'zod/mini'
import type { RelayCall } from '#web/net/relay/relay-http.ts'
import type { LinkShell } from './link-shell.ts'

export const ASK_EVERY_MS = 1_500
const Health = z.object({ hermes: z.object({ kind: z.enum(['embedded', 'dashboard']), ready: z.boolean(), version: z.nullable(z.string()) }) })

export function waitForHermes(link: LinkShell, call: RelayCall): void {
  createEffect(() => {
    const state = link.link()
    if (state.kind !== 'open' || state.welcome.hermes.ready) return
    const { demo } = state.welcome.hermes
    const timer = setInterval(() => {
      void call('/relay/health').then((answer) => {
        const health = answer.ok ? Health.safeParse(answer.body) : null
        if (health?.data?.hermes.ready) link.learnHermes({ ...health.data.hermes, demo })
      })
    }, ASK_EVERY_MS)
    onCleanup(() => clearInterval(timer))
  })
}
