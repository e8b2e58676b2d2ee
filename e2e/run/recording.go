package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/workloads"
)

// recording is what is seen of a run, judged while it is written, and what is made of it in the results folder.
type recording struct {
	*job
	file      *os.File // nil until it is begun
	recorder  *record.Recorder
	synced    *record.Syncing
	judge     *judge.Live
	meter     *result.Meter    // adds up what else looks and reports read of the recording
	last      result.Recording // what soFar returned
	facts     record.Environment
	measuring time.Time       // since when the scenarios of a block are measured
	block     judge.Judgement // of the block that is being driven
	step      []judge.Sample  // of the ramp's step that is being driven
	headed    bool            // the table of first results has its heading
	complete  bool            // all was driven
}

// begin makes the results folder and the recording in it.
func (rec *recording) begin(ctx context.Context) error {
	if err := os.MkdirAll(rec.folder, 0o755); err != nil {
		return fmt.Errorf("make the results folder (choose another with --results): %w", err)
	}
	if err := Unused(rec.folder); err != nil {
		return err
	}
	if !rec.options.Linked() {
		if err := marked(rec.folder, rec.folder); err != nil {
			return err
		}
	}
	if rec.options.Shard.Of == 0 && rec.options.Linked() { // of shards, who drives them all says where their results are
		if err := Latest(rec.here(), rec.folder); err != nil {
			rec.say("%v", err)
		}
	}
	file, err := os.OpenFile(rec.results(record.FileName), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("begin the recording (a folder holds one run; choose another with --results): %w", err)
	}
	rec.file = file
	header := record.Header{Run: rec.id, Seed: rec.options.Seed, Program: "operatorbench"}
	header.Workload = &rec.workload.Workload
	if header.Reference, err = reference(rec.workload); err != nil {
		return err
	}
	for _, scenario := range rec.scenarios {
		one := record.Scenario{
			Name: scenario.Name, Group: scenario.Group, Description: scenario.Description, StandsFor: scenario.StandsFor, Digest: scenario.Digest,
		}
		if scenario.Load != nil {
			one.Ramp = scenario.Load.Ramp
		}
		header.Scenarios = append(header.Scenarios, one)
	}
	for _, p := range rec.participants {
		style, err := p.recorded()
		if err != nil {
			return err
		}
		header.Styles = append(header.Styles, style)
	}
	rec.recorder, err = record.NewRecorder(file, header)
	if err != nil {
		return err
	}
	rec.synced = rec.recorder.KeepSynced(file, syncEvery)
	if err := errors.Join(rec.follow(), rec.surroundings(ctx)); err != nil {
		return err
	}
	rec.facts.Undriven, rec.facts.Early = unfinished, true // what a killed run leaves; its end says what is true
	return rec.writeFacts()
}

// follow has a recording that has just begun judged while it is written.
func (rec *recording) follow() (err error) {
	rec.meter = result.NewMeter()
	rec.judge, err = judge.NewLive(rec.recorder, rec.meter.Add)
	return err
}

// Unused is an error where a results folder holds the recording of a run, or of a shard,
// by whatever name: a further run would be judged by it, or take its place. So it is where
// a file is there that a run writes: somebody else may have made it.
func Unused(folder string) error {
	for _, one := range result.Shards(folder) {
		switch there, err := record.Find(one); {
		case err == nil:
			return fmt.Errorf("begin the recording: %s is there already (a folder holds one run; choose another with --results)", there)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("begin the recording (choose another folder with --results): %w", err)
		}
	}
	for _, file := range append(report.Files(), report.File{Name: html.File}, report.File{Name: record.EnvironmentFile}) {
		if _, err := os.Lstat(filepath.Join(folder, file.Name)); err == nil {
			return fmt.Errorf("begin the recording: %s is there already, and would be replaced (choose another folder with --results)", filepath.Join(folder, file.Name))
		}
	}
	return nil
}

// writeFacts writes what is known of the run by now.
func (rec *recording) writeFacts() error {
	rec.facts.Stages, rec.facts.Notes = rec.stages, rec.notes
	return rec.facts.Write(rec.folder)
}

// reference is the main child that a custom resource asks for; nil: the workload does not say.
func reference(w *workloads.Workload) (json.RawMessage, error) {
	if !w.HasReference() {
		return nil, nil
	}
	child, err := w.Child(w.New("services", w.Name, 1))
	if err != nil {
		return nil, err
	}
	return json.Marshal(child.Object)
}

// compress makes a large recording that has ended about a tenth of its size.
func (rec *recording) compress() error {
	name := rec.results(record.FileName)
	info, err := os.Stat(name)
	if err != nil || info.Size() < largeRecording {
		return err
	}
	_, err = record.Compress(name)
	return err
}

// mark records how far a block is. The driver learns through Recorder.Err of a recording that failed.
func (rec *recording) mark(place turn, stage string) { rec.markWith(place, stage, nil) }

// markWith records beside what the cluster has of the style; nil: nothing new.
func (rec *recording) markWith(place turn, stage string, installed *spec.Installed) {
	_ = rec.recorder.Record(record.Entry{Time: rec.recorder.Now(), Kind: record.KindBlock, Block: &record.Block{
		Style: place.participant.name(), Variant: place.participant.variant, Round: place.round, Stage: stage, Wave: place.wave, Load: place.load, Installed: installed,
	}})
}

// RecordLost writes a results folder from which the gate can say what head has
// lost, without a cluster. Nothing else is to be called after it.
func (rec *recording) RecordLost(ctx context.Context) error {
	err := rec.begin(ctx)
	if err == nil { // there is no more of it
		rec.facts.Undriven, rec.facts.Early = "", false
		err = rec.writeFacts()
	}
	if rec.judge != nil {
		rec.judge.Stop()
	}
	if rec.synced != nil {
		err = errors.Join(err, rec.synced.Stop())
	}
	if rec.file != nil {
		err = errors.Join(err, rec.file.Close())
	}
	return errors.Join(err, rec.base.remove())
}
