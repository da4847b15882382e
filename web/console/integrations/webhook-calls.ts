import { useQuery } from '@tanstack/react-query';
import { useTeam } from '../app/account.ts';
import { defineCalls, useApi } from '../app/api.ts';

export const webhookCalls = defineCalls({
  listWebhooks: { method: 'GET', path: '/v1/teams/{team_id}/custom_webhooks', reply: { status: 200 } },
  createWebhook: { method: 'POST', path: '/v1/teams/{team_id}/custom_webhooks', reply: { status: 201 } },
  updateWebhook: { method: 'PUT', path: '/v1/custom_webhooks/{custom_webhook_id}', reply: { status: 200 } },
  deleteWebhook: { method: 'DELETE', path: '/v1/custom_webhooks/{custom_webhook_id}', reply: { status: 204 } },
  listWebhookDeliveries: { method: 'GET', path: '/v1/custom_webhooks/{custom_webhook_id}/deliveries', reply: { status: 200 } },
  replayWebhookDelivery: {
    method: 'POST',
    path: '/v1/custom_webhooks/{custom_webhook_id}/deliveries/{delivery_id}/replay',
    reply: { status: 202 },
  },
  testWebhook: { method: 'POST', path: '/v1/custom_webhooks/{custom_webhook_id}/test', reply: { status: 202 } },
  renewWebhookSecret: { method: 'POST', path: '/v1/custom_webhooks/{custom_webhook_id}/secret', reply: { status: 200 } },
});

export const webhooksKey = (teamId: string) => ['team', teamId, 'webhooks'] as const;

export function useWebhooks() {
  const team = useTeam();
  const api = useApi(webhookCalls);
  return useQuery({
    queryKey: webhooksKey(team.id),
    queryFn: ({ signal }) => api.call('listWebhooks', { params: { team_id: team.id }, signal }),
  });
}
