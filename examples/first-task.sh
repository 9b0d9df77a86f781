#!/usr/bin/env bash
# From nothing to a finished task, over the API alone. docs/guide.md shows the same calls
# with their answers.
#
#   BERTH_URL         the deployment; by default the laptop cloud of `npm start`
#   BERTH_SESSION     value of your session's cookie; without it, signs in as BERTH_LOGIN (octo) on the laptop's code host
#   BERTH_AGENT_KEY   key for the coding agent; without it, what you stored before is used
#   BERTH_REPOSITORY  what to work on; by default octo/hello
#   BERTH_TASK        what is to be done
#   BERTH_FOLLOW_UP   what to say once it is done
#
# It waits while the agent asks something: answer in the console's inbox.
# Needs bash, curl and jq.
set -euo pipefail

url=${BERTH_URL:-http://localhost:8787}
repository=${BERTH_REPOSITORY:-octo/hello}
task=${BERTH_TASK:-'Add a section "Greeting" to the README that says hello, commit it, and push the branch.'}
follow_up=${BERTH_FOLLOW_UP:-'Thank you. Say in one sentence what you have changed.'}

private=$(mktemp -d)
trap 'rm -rf "$private"' EXIT
jar=$private/cookies

# Calls the API: method, path, and a body of JSON. The answer is in $answer; any other status than 2xx ends the script.
# The body goes through standard input, as everybody can read a command line.
api() {
  local method=$1 path=$2 body=${3-} reply
  echo "> $method $path $(shown <<<"$body")"
  local options=(-sS -X "$method" -b "$jar" -c "$jar" -w '\n%{http_code}')
  [[ -z $body ]] || options+=(-H 'content-type: application/json' --data-binary @-)
  [[ -z ${key-} ]] || options+=(-H "idempotency-key: $key")
  reply=$(curl "${options[@]}" "$url$path" <<<"$body")
  answer=${reply%$'\n'*}
  local status=${reply##*$'\n'}
  echo "< $status $(shown <<<"$answer")"
  [[ $status == 2* ]]
}
shown() { jq -c 'if .token? then .token = "…" else . end'; }
field() { jq -r "$1" <<<"$answer"; }

# Asks a path again and again until a filter of its answer gives one of the wanted words.
wait_for() {
  local path=$1 filter=$2 wanted=$3 now last=''
  for _ in $(seq 300); do
    answer=$(curl -sS -b "$jar" "$url$path")
    now=$(field "$filter")
    [[ $now == "$last" ]] || echo "  … $now"
    last=$now
    [[ $now =~ ^($wanted)$ ]] && return
    [[ $now =~ ^(errored|failed|cancelled|expired|ambiguous)$ ]] && { field '.errorMessage'; return 1; }
    sleep 2
  done
  echo "$path took too long"
  return 1
}

echo '== Sign in'
if [[ -n ${BERTH_SESSION-} ]]; then
  printf '#HttpOnly_%s\tFALSE\t/\tTRUE\t0\t__Host-berth_session\t%s\n' "$(sed -E 's#https?://([^:/]+).*#\1#' <<<"$url")" "$BERTH_SESSION" >"$jar"
else
  api POST /api/auth/sign-in/social '{"provider":"github"}'
  curl -sS -L -b "$jar" -c "$jar" -o /dev/null "$(field .url)&login=${BERTH_LOGIN:-octo}"
fi
api GET /api/auth/session

echo '== What can be opened, and through which installation'
api GET /api/codehost/repositories
installation=$(field ".repositories[] | select(.fullName == \"$repository\") | .installationId")

echo '== A project'
api GET /api/projects
project=$(field "[.projects[] | select(.repository == \"$repository\")][0].id // empty")
if [[ -z $project ]]; then
  api POST /api/projects "$(jq -n --arg r "$repository" --arg i "$installation" '{name: $r, repository: $r, installationId: $i}')"
  project=$(field .id)
fi

echo '== A key for the coding agent'
if [[ -n ${BERTH_AGENT_KEY-} ]]; then
  body=$(jq -n '{provider: "anthropic", credentialType: "agent-api-key", token: env.BERTH_AGENT_KEY}')
  api POST /api/credentials "$body"
  # In a project with other members your own key is used only after you allowed it there.
  api PUT "/api/projects/$project/personal-credentials"
fi
api GET /api/credentials

echo '== A task, as a message'
# A repeat with this key makes no second task.
key="first-task-$(date +%s)-$$"
api POST "/api/projects/$project/tasks/submit" "$(jq -n --arg m "$task" '{message: $m}')"
unset key
task_id=$(field .taskId)
session=$(field .sessionId)
branch=$(field .branchName)
wait_for "/api/projects/$project/tasks/$task_id" .executionStep awaiting_followup
chat=/api/projects/$project/sessions/$session
api GET "$chat/messages?compact=true"

echo '== What it did'
api GET "$chat/files/list"
api GET "$chat/git/status"

echo '== A word to the agent'
api POST "$chat/prompt" "$(jq -n --arg c "$follow_up" '{content: $c}')"
message=$(field .messageId)
wait_for "$chat/deliveries" ".deliveries[] | select(.messageId == \"$message\") | .state" 'delivered|acked'
sequence=$(field ".deliveries[] | select(.messageId == \"$message\") | .sequence")
wait_for "$chat/messages?after=$sequence&roles=assistant" '.messages | length > 0' true
wait_for "$chat/state" .state.activity idle
api GET "$chat/messages?order=desc&limit=5"

echo '== Done'
api POST "/api/projects/$project/tasks/$task_id/close"
wait_for "/api/projects/$project/tasks/$task_id" 'if .finalizedAt then "finished" else .status end' finished
api GET "/api/projects/$project/tasks/$task_id/events"
echo "What the agent has pushed is on the branch $branch of $repository."
