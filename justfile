# Every command a person types. `./justw RECIPE` makes the environment first; `just RECIPE` then works as well.

set positional-arguments
# What fails says so itself.
set no-exit-message
set shell := ["sh", "-eu", "-c"]

root := justfile_directory()
python := root / ".venv/bin/python"
train := root / ".venv-train/bin/python"

export PYTHONPATH := root
# Waiting OpenMP threads sleep: spinning ones slow each other down many times over on a busy machine.
export OMP_WAIT_POLICY := env("OMP_WAIT_POLICY", "passive")

# List the recipes
default:
    @"{{ root }}/.venv/bin/just" --justfile "{{ justfile() }}" --list --unsorted

# Watch and hear it wake, listen, look, think and speak in each power mode
[no-cd]
demo *args:
    @"{{ python }}" -P -m host demo "$@"

# The command line, for example: just headband ask --audio question.wav --image photo.png
[no-cd]
headband *args:
    @"{{ python }}" -P -m host "$@"

# Model packs: just models list, fetch NAME, import DIR, verify, use NAME
[no-cd]
models *args:
    @"{{ python }}" -P -m host models "$@"

# What a headband draws: just rig SCENARIO --meter ppk2; without them standby, modelled; `just headband rig list` has more
[no-cd]
rig scenario="standby" *args:
    @"{{ python }}" -P -m host rig run "$@"

# Firmware and application onto a headband: just deploy HOST; `just deploy --help` has the options of both
[no-cd]
deploy *args:
    @"{{ python }}" -P -m host deploy --firmware "$@"

# Firmware onto the PMU on USB; the one before comes back unless it answers. `just deploy-firmware --help` has the options
[no-cd]
deploy-firmware *args:
    @"{{ python }}" -P -m host firmware deploy "$@"

# The application onto the headband's computer: just deploy-app HOST; --rollback HOST: the release before runs again
[no-cd]
deploy-app *args:
    @"{{ python }}" -P -m host deploy "$@"

# A Debian for arm64 under QEMU: deploy to it, wear it, cut its power (as root, two hours; --suite, --cuts N, --steps, --stay)
virtual-board *args:
    @"{{ python }}" -m tests.virtual "$@"

# Fetch what deploy-app sends: wheels for aarch64, and the two runtimes, compiled here or as sources
wheels *args:
    @"{{ python }}" -m host wheels "$@"

# Run the tests in three processes, as many wait for others (-n 0: in one); arguments go to pytest
test *args:
    @"{{ python }}" -m pytest -n 3 --dist loadfile "$@"

# Check style, formatting rules and types
check:
    @"{{ python }}" -m ruff check .
    @"{{ python }}" -m mypy
    @"{{ python }}" -m tests.firmware.micropython.stubs

# What a turn costs in time and memory, by mode, on every pack here (`ballast` adds the one of true size), an hour; or with `sensing` the wait for an answer about the last seconds, with `one-view` what its pictures cost other questions
bench *args:
    @"{{ python }}" -m tests.eval.cost "$@"
    @[ $# -gt 0 ] || "{{ python }}" -m tests.eval.cost.latency
    @[ $# -gt 0 ] || "{{ python }}" -m tests.eval.ring --only hand-over
    @[ $# -gt 0 ] || "{{ python }}" -m tests.eval.barge.live

# End of speech to first word, ours in each mode against blocking chains of the same bricks
latency *args:
    @"{{ python }}" -m tests.eval.cost.latency "$@"

# A bad day of 200 turns (--seed N), with --mode only questions, or `memory`, a day of it: does anything grow?
soak *args:
    @"{{ python }}" -m tests.eval.soak "$@"

# What the bricks will cost on an RK3566, modelled, beside published figures (--count counts anew under QEMU: minutes each)
board-cost *args:
    @"{{ python }}" -m tests.eval.board_cost "$@"

# Random events for the rules of a session (--events N, --seed N): do they keep every promise? A million take minutes
walk *args:
    @"{{ python }}" -m tests.host.session.walk "$@"

# Figures on held-out data, with 95 % intervals: all, or those named; `just eval --help` names them
eval *names:
    @"{{ python }}" -m tests.eval "$@"

# Train the micro pack from generated data and seal it (hours), or only `reflex`, from --data too, or `recall --pictures DIR`
train *args:
    @"{{ just_executable() }}" --justfile "{{ justfile() }}" _in-train models.train.all "$@"

# Generate the ballast pack: random weights in the true shapes of the standard pack (about 500 MB)
ballast *args:
    @"{{ just_executable() }}" --justfile "{{ justfile() }}" _in-train models.convert.ballast.generate "$@"

# A published checkpoint's folder to a pack: just convert CHECKPOINT OUT; --help has precisions, layers and the NPU
[no-cd]
convert *args:
    @"{{ just_executable() }}" --justfile "{{ justfile() }}" _in-train models.convert "$@"

# Tests that compare with PyTorch; the suite skips them. Arguments go to pytest
test-train *args: _train-env
    @"{{ train }}" -m pytest tests/models/convert/test_convert_original.py tests/models/convert/test_published_files.py tests/models/train/sight tests/models/train/reflex tests/models/train/recall/heal tests/models/train/test_recogniser_start.py tests/models/train/test_resumed_trainings.py tests/models/train/test_motion_training.py tests/models/train/test_detector_training.py tests/models/train/test_reader_training.py tests/models/train/test_sentence_networks.py "$@"

# Rewrite what is generated from the code: states, rules, rooms and the demo's picture in docs/, tables in firmware/README.md
docs:
    #!/usr/bin/env sh
    set -eu
    cd "{{ root }}"
    {
        printf '# States and permitted transitions\n\nWritten by `just docs` from the table in `host/states.py`.\n\n'
        printf '```mermaid\n'
        "{{ python }}" -m host status --diagram
        printf '```\n'
    } > docs/states.md
    "{{ python }}" -m tests.rooms
    "{{ python }}" -m tests.firmware.readme
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    HEADBAND_CONFIG='' "{{ python }}" -m host demo --fast --pack micro --out "$folder" > /dev/null
    cp "$folder/timeline.svg" docs/demo.svg

# Run a module in the training environment, which is made only for what is not refused or answered without it
[no-cd]
_in-train module *args:
    #!/usr/bin/env sh
    set -eu
    module=$1
    shift
    case " $* " in
        *" -h "* | *" --help "* | *" --dry-run "* | *" --unchecked "*) exec "{{ python }}" -P -m "$module" "$@" ;;
    esac
    "{{ python }}" -P -m "$module" --dry-run "$@" > /dev/null
    "{{ just_executable() }}" --justfile "{{ justfile() }}" _train-env
    exec "{{ train }}" -P -m "$module" "$@"

# Make the training environment, on top of .venv, when its locks have changed
_train-env:
    #!/usr/bin/env sh
    set -eu
    cd "{{ root }}"
    wanted=$(cat .venv/stamp requirements-train.lock requirements-torch.in | cksum)
    if [ "$(cat .venv-train/stamp 2>/dev/null || true)" = "$wanted" ]; then exit 0; fi
    if [ -L .venv-train ]; then
        echo ".venv-train is a link and not up to date, and what it leads to may be somebody's: remove the link." >&2
        exit 2
    fi
    echo "making .venv-train: PyTorch and its company, 200 MB to several GB to download the first time" >&2
    "{{ python }}" -m venv --clear --without-pip .venv-train
    packages='import sysconfig; print(sysconfig.get_path("purelib"))'
    "{{ python }}" -c "$packages" > "$("{{ train }}" -c "$packages")/application.pth"
    install() {
        env -u PYTHONPATH PIP_NO_INPUT=1 "{{ python }}" -m pip --python "{{ train }}" install "$@" >> .venv-train/log 2>&1 || {
            tail -n 25 .venv-train/log >&2
            echo "that failed; the whole log is in .venv-train/log, and the next start tries again" >&2
            exit 1
        }
    }
    install --require-hashes --no-deps --only-binary :all: --no-binary openai-whisper --no-build-isolation \
        -r requirements-train.lock
    install -r requirements-torch.in
    "{{ train }}" -c "import gguf, llama_cpp, onnx, tokenizers, torch, transformers"
    printf '%s' "$wanted" > .venv-train/stamp

# Install the NPU's Python bindings on a headband, once its owner has read their licence (NOTICE names it)
npu:
    #!/usr/bin/env sh
    set -eu
    cd "{{ root }}"
    [ "$(uname -m)" = aarch64 ] || { echo "just npu: these bindings are for a headband's own computer, aarch64." >&2; exit 2; }
    PIP_NO_INPUT=1 "{{ python }}" -m pip install --disable-pip-version-check --require-hashes --no-deps \
        --only-binary :all: -r requirements-npu.lock

# Resolve the locks anew from requirements*.in, for every platform at once
lock *args:
    #!/usr/bin/env sh
    set -eu
    cd "{{ root }}"
    for name in requirements requirements-native requirements-build requirements-dev requirements-train requirements-meters requirements-npu; do
        .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
            --no-header --no-annotate --override requirements-override.txt "$@" "$name.in" -o "$name.lock"
        echo "$name.lock: $(grep -c == "$name.lock") packages"
    done

# Write the licences of all installed packages into NOTICE
notice:
    @cd "{{ root }}" && "{{ python }}" -m host.packages.notice --write

# Prove that the locks resolve for a headband: aarch64, Debian 12 and 13; --npu: also Rockchip's (NOTICE)
lock-check *args:
    @"{{ python }}" -m host.ship.wheels.lock_check "$@"

# What is known against the locked packages: by a list kept here, and a database if HEADBAND_ADVISORIES names one
audit *args:
    @"{{ python }}" -m host.packages.audit "$@"

# What takes too long for every change: the slow tests, then the audit; both run, and either may fail it
nightly:
    #!/usr/bin/env sh
    set -eu
    cd "{{ root }}"
    code=0
    "{{ python }}" -m pytest -n 2 --dist loadfile -m slow || code=$?
    "{{ python }}" -m host.packages.audit || code=$?
    exit "$code"

# Remove what is generated: environments, caches, what demo, rig, ask and virtual-board leave here
clean:
    rm -rf "{{ root }}/.venv" "{{ root }}/.venv-train" "{{ root }}/.venv-install.log" "{{ root }}/.cache" \
        "{{ root }}/.pytest_cache" "{{ root }}/.mypy_cache" "{{ root }}/.ruff_cache" "{{ root }}/.hypothesis" "{{ root }}/headband-demo" \
        "{{ root }}/headband-day" "{{ root }}/headband-rig" "{{ root }}/day.html" "{{ root }}/answer.wav" "{{ root }}/virtual-board.json"
    find "{{ root }}" -name __pycache__ -type d -prune -exec rm -rf {} +
