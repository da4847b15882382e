import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { codeIn, partOf } from '#test/support/docs/markdown.ts';
import { soaking } from '#test/support/faults/seeds.ts';
import { bootDebian, canBootDebian, type DebianMachine } from '#test/support/system/debian-machine.ts';

/**
 * The way of an operator from one machine to four nodes (docs/operating/nodes.md), by the commands that stand on the pages and no
 * others, on a Debian with systemd, nginx, HAProxy and PostgreSQL of its own. In a soak alone, by root. What an operator writes
 * with an editor, `edit` writes; names and passwords are filled in.
 */

const project = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const read = (path: string): string => readFileSync(join(project, path), 'utf8');
const node = createRequire(import.meta.url).resolve('node/bin/node');

const systemd = read('resources/systemd/README.md');
const nginx = read('resources/nginx/README.md');
const haproxy = read('resources/haproxy/README.md');
const nodes = partOf(read('docs/operating/nodes.md'), '**From one machine to four nodes.**');

// Its layer lies over the file system of `/` alone, and units see no homes.
const isHere = soaking && canBootDebian() && statSync(project).dev === statSync('/').dev && !/^\/(?:home|root)\//.test(project);
vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

describe.skipIf(!isHere)('an operator who follows the pages', () => {
  let machine: DebianMachine;
  const sh = async (script: string): Promise<string> => await machine.sh(`cd ${project}\n${script}`);
  /** The block that begins like this, as it stands there. */
  const block = (page: string, beginning: string): string => {
    const found = codeIn(page).find((code) => code.startsWith(beginning));
    if (found === undefined) throw new Error(`No block begins with ${beginning}`);
    return found;
  };
  const follow = async (page: string, beginning: string): Promise<string> => await sh(block(page, beginning));
  /** Sets variables of a file, as somebody does who replaces what stands there of them. */
  const edit = async (file: string, lines: string): Promise<string> =>
    await sh(
      [
        ...[...lines.matchAll(/^(\w+)=/gm)].map(([, name]) => `sed -i '/^#*${name}=/d' ${file}`),
        `cat >> ${file} <<'END'\n${lines.trimEnd()}\nEND`,
      ].join('\n'),
    );
  const agent = 'runuser -u longshore -- env LONGSHORE_AGENT_URL=unix:/run/longshore/agent.sock longshore';
  const settled = (what: string): string => `timeout 90 sh -c 'until ${what}; do sleep 0.2; done'`;
  const answers = (...ports: number[]): string => ports.map((port) => settled(`curl -sf -o /dev/null 127.0.0.1:${port}/readyz`)).join('\n');

  beforeAll(async () => {
    machine = await bootDebian();
    await sh(`
      ln -sfn ${node} /usr/local/bin/node
      ln -sfn ${project}/main/cli/longshore.js /usr/local/bin/longshore
      echo '127.0.0.1 localhost files.example.com storage.example.com' > /etc/hosts
      rm -f /etc/nginx/conf.d/* /etc/nginx/sites-enabled/*
      mkdir -p /etc/ssl/longshore /srv/transfers
      cd /etc/ssl/longshore
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj '/CN=Our CA' -keyout ca.key -out ca.pem
      for name in files storage; do
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=$name.example.com -keyout $name.key -out $name.csr
        openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out $name.pem -extfile <(echo subjectAltName=DNS:$name.example.com)
        cp $name.pem full$name.pem
      done`);
  });
  afterAll(async () => {
    await machine?.close();
  });

  it('has a service under its unit, with nginx before API and storage', async () => {
    await sh(
      'EDITOR="sed -i s/^#LONGSHORE_OWNER_EMAIL/LONGSHORE_OWNER_EMAIL/"; export EDITOR\n' +
        block(systemd, 'useradd --system --home-dir /var/lib/longshore-service'),
    );
    await sh(answers(8080));
    const [settings, dropIn] = codeIn(nginx) as [string, string];
    await edit('/etc/longshore/service.env', `${settings}LONGSHORE_PUBLIC_URL=https://files.example.com\n`);
    await sh(`mkdir -p /etc/systemd/system/longshore-service.service.d
      cat > /etc/systemd/system/longshore-service.service.d/override.conf <<'END'\n${dropIn}END
      systemctl daemon-reload; systemctl restart longshore-service\n${answers(8080)}`);
    await follow(nginx, 'chmod 0710 /var/lib/longshore-service/service');
    await follow(nginx, 'install -m 0644 resources/nginx/longshore-storage-locations.conf');
    await sh(`EDITOR="sed -i /8090/d"; export EDITOR\n${block(nginx, 'install -m 0644 resources/nginx/longshore-api.conf')}`);
    expect(await sh('curl -sS --cacert /etc/ssl/longshore/ca.pem https://files.example.com/healthz')).toContain('"status":"ok"');
  });

  it('has an agent, which sends and gets by both addresses', async () => {
    // Somebody signs in, so what is in this file is not read.
    await sh(`echo none > key
      mkdir -p /etc/systemd/system/longshore-agent.service.d
      printf '[Service]\\nReadWritePaths=/srv/transfers\\nEnvironment=NODE_EXTRA_CA_CERTS=/etc/ssl/longshore/ca.pem\\n' \\
        > /etc/systemd/system/longshore-agent.service.d/override.conf
      ${block(systemd, 'useradd --system --home-dir /var/lib/longshore ').split('\n').slice(0, -2).join('\n')}
      ${settled(`${agent} status`)}
      chown longshore: /srv/transfers
      journalctl -u longshore-service -o cat | sed -n 's/^ *Password: \\([^ ]*\\) .*/\\1/p' > /root/password
      ${agent} login mia@example.com --password-stdin < /root/password
      runuser -u longshore -- sh -c 'mkdir /srv/transfers/in; head -c 9000000 /dev/urandom > /srv/transfers/in/large; echo small > /srv/transfers/in/small'
      ${agent} send /srv/transfers/in --json > /root/sent.json`);
    await gets('before');
    expect(await sh('cat /var/log/nginx/longshore-storage.log')).toContain('"from_disk":"/-/accel/');
  });

  /** The package that was sent before anything was changed, by its link. */
  async function gets(into: string): Promise<void> {
    await sh(`${agent} get "$(grep -o 'https://files.example.com/d/[^"]*' /root/sent.json)" /srv/transfers/${into}
      diff -r /srv/transfers/in /srv/transfers/${into}/in`);
  }

  it('has backups by a timer', async () => {
    await follow(systemd, 'install -d -o longshore-service -g longshore-service -m 0700 /mnt/backup');
    expect(await sh('systemctl list-timers --no-pager; runuser -u longshore-service -- longshore admin backup verify /mnt/backup')).toMatch(
      /longshore-backup\.timer[\s\S]* is whole/,
    );
  });

  it('goes to four nodes', async () => {
    const secret = 'secret1';
    const filled = (beginning: string): string => block(nodes, beginning).replaceAll('PASSWORD', secret);
    await sh('systemctl start longshore-backup; systemctl start postgresql@15-main');
    // The package is there; a person types the password.
    await sh(
      filled('apt install postgresql')
        .replace(/^apt .*\n/, '')
        .replace('createuser --pwprompt longshore', `psql -qc "create role longshore login password '${secret}'"`),
    );
    await sh('systemctl disable --now longshore-service; systemctl start longshore-backup');
    await sh(filled('install -d -o longshore-service -g longshore-service -m 0700 /var/lib/longshore-nodes'));
    await edit('/etc/longshore/service.env', filled('LONGSHORE_DATA_DIR='));
    await sh(filled('cd /etc/longshore'));
    await sh(
      filled('cd /usr/share/doc/longshore/examples')
        .replace(/^cd .*$/m, 'cd resources')
        .replace(
          'systemctl daemon-reload',
          "printf '[Service]\\nUMask=0027\\n' > /etc/systemd/system/longshore-node@.service.d/override.conf\n$&",
        ),
    );
    await sh(`${answers(8080, 8090, 8085, 8086)}
      chmod 0710 /var/lib/longshore-nodes /var/lib/longshore-nodes/service
      chmod -R g+rX /var/lib/longshore-nodes/service/objects
      sed -i s,/var/lib/longshore-service,/var/lib/longshore-nodes, /etc/nginx/conf.d/longshore-storage.conf
      ${block(nginx, 'install -m 0644 resources/nginx/longshore-api.conf')}`);
    const looked = await sh(`export NODE_EXTRA_CA_CERTS=/etc/ssl/longshore/ca.pem\n${filled('for port in')}`);
    expect(looked.match(/"status":"ready"/g)).toHaveLength(4);
    expect(looked.match(/^FAIL.*$/gm)).toBeNull();
    await gets('after');
    await sh('systemctl start longshore-backup');
  });

  it('restarts them in turn while something is sent', async () => {
    const loop = block(read('docs/operating/nodes.md'), 'for node in worker1');
    await sh(`(for number in $(seq 8); do ${agent} send /srv/transfers/in --name again$number || exit 1; done) & sender=$!
      ${loop}
      wait $sender`);
    expect(await sh("systemctl list-units --plain --no-legend --state=active 'longshore-node@*'")).toMatch(/^(?:.*running.*\n){4}$/);
  });

  it('has HAProxy in place of nginx before the API, each at an address of its own', async () => {
    await sh(`rm /etc/nginx/conf.d/longshore-api.conf
      sed -i '/\\[::\\]:443/d; s/listen 443/listen 127.0.0.3:443/' /etc/nginx/conf.d/longshore-storage.conf
      printf '127.0.0.1 localhost\\n127.0.0.2 files.example.com\\n127.0.0.3 storage.example.com\\n' > /etc/hosts
      systemctl restart nginx
      cd /etc/ssl/longshore; cp files.pem fullchain.pem; cp files.key privkey.pem`);
    await sh(`export EDITOR='sed -i s/:443/127.0.0.2:443/'
      (cd /etc/ssl/longshore; ${codeIn(haproxy)[0]!.split('\n')[0]})
      ${codeIn(haproxy)[0]!.split('\n').slice(1, -2).join('\n')}
      haproxy -c -f /etc/haproxy/haproxy.cfg
      systemctl restart haproxy
      ${settled('curl -sf -o /dev/null --cacert /etc/ssl/longshore/ca.pem https://files.example.com/readyz')}`);
    await gets('through-haproxy');
  });

  it('goes back to one, whose folder nobody has changed', async () => {
    const back = partOf(read('docs/operating/nodes.md'), '**Back to one**');
    expect(back).toContain("`systemctl disable --now 'longshore-node@*'`");
    await sh(`systemctl disable --now 'longshore-node@*'
      sed -i '/^DATABASE_URL=/d; s,^LONGSHORE_DATA_DIR=.*,LONGSHORE_DATA_DIR=/var/lib/longshore-service,' /etc/longshore/service.env
      sed -i s,/var/lib/longshore-nodes,/var/lib/longshore-service, /etc/nginx/conf.d/longshore-storage.conf
      systemctl restart nginx; systemctl enable --now longshore-service\n${answers(8080)}`);
    await gets('at-one-again');
  });
});
